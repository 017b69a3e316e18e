# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes the pictures of docs/PAGES.md of what tests/vm/guest/pages.sh has printed on a machine's console.

usage: pictures.py PERFEX CONSOLE DIRECTORY
"""
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
# pylint: disable=wrong-import-position
from browser import Browser

perfex, console, out = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3]
top = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
# The headings of a page whose sections are shown.
SHOWN = {"time-line": ["Metrics", "Time line"], "top-down": ["Top-down tree"], "flame": ["Samples"], "difference": ["Comparison", "5 runs"], "regions": ["Regions"]}
WIDTH = 1000

with open(os.path.join(top, "docs", "PAGES.md"), encoding="utf-8") as file:
    text = file.read()
commands = dict(reversed(one) for one in re.findall(r"^\t\$ (perfex .*--html ([a-z-]*)\.html .*)$", text, re.M))
wanted = re.findall(r"\]\(pages/([a-z-]*)\.png\)", text)
assert list(commands) == wanted == list(SHOWN), (commands, wanted)

with open(console, encoding="utf-8", errors="replace") as file:
    pages = dict(re.findall(r"^page ([a-z-]*) (.*?)\r?$", file.read(), re.M))
os.makedirs(out, exist_ok=True)
empty = os.path.join(out, "empty.json")
with open(empty, "w", encoding="utf-8") as file:
    file.write('{"type":"none"}\n')
subprocess.run([perfex, "--html", os.path.join(out, "empty.html"), "--from", empty], check=True)
with open(os.path.join(out, "empty.html"), encoding="utf-8") as file:
    before, _, after = re.split(r'(?<=id="data">)(.*?)(?=</script>)', file.read(), maxsplit=1, flags=re.S)

failed = 0
for name, headings in SHOWN.items():
    try:
        json.loads(pages[name])
        path = os.path.join(out, name + ".html")
        with open(path, "w", encoding="utf-8") as file:
            file.write(before + pages[name] + after)
        browser = Browser(WIDTH, 900)
        browser.open(path)
        assert not browser.console, browser.console
        boxes = [browser.run("(() => { const e = [...document.querySelectorAll('h2,h3')].filter(e => e.textContent === '%s')"
                             ".pop().parentNode.getBoundingClientRect(); return [e.top + scrollY, e.bottom + scrollY]; })()" % heading)
                 for heading in headings]
        first, last = min(box[0] for box in boxes), max(box[1] for box in boxes)
        browser.picture(os.path.join(out, name + ".png"), int(max(first, 0)), int(min(last - first + 16, 1400)))
        browser.close()
        print("PASS %s: %s" % (name, commands[name]))
    except (KeyError, ValueError, RuntimeError, AssertionError) as error:
        print("FAIL %s: %s: %s" % (name, type(error).__name__, error))
        failed = 1
sys.exit(failed)
