#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# on.py COLUMNS command...: on a terminal with that number of columns; prints its contents, line by line, after all that it
# obeys. With RAW in the environment: the bytes that come. Its exit status is the command's.
import fcntl, os, pty, re, struct, subprocess, sys, termios, threading
columns = int(sys.argv[1])
terminal, its_end = pty.openpty()
fcntl.ioctl(its_end, termios.TIOCSWINSZ, struct.pack('HHHH', 24, columns, 0, 0))
command = subprocess.Popen(sys.argv[2:], stdin=its_end, stdout=its_end, stderr=its_end, start_new_session=True)
# A reader may miss the last bytes if it stops when the other end is closed: a mark says that all is here.
threading.Thread(target=lambda: (command.wait(), os.write(its_end, b'\0'))).start()
raw = b''
while not raw.endswith(b'\0'):
    raw += os.read(terminal, 65536)
raw = raw[:-1]
status = command.wait()
if os.environ.get('RAW'):
    sys.stdout.buffer.write(raw)
    sys.exit(status)
text = re.sub('\033\\[[0-9]+m', '', raw.decode('utf-8', 'replace'))   # perfex's colours
# A terminal's lines: what is broken goes on in another one, and marked so.
lines, at = [[]], 0
for letter in text:
    if letter == '\n':
        lines.append([]); at = 0
    elif letter == '\r':
        at = 0
    else:
        if at == columns:
            if letter != ' ':
                lines[-1].append('<broken>')
            lines.append([]); at = 0
        lines[-1][at:at + 1] = [letter]; at += 1
for line in lines:
    print(''.join(line).rstrip())
sys.exit(status)
