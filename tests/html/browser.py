# SPDX-License-Identifier: LGPL-2.1-or-later
"""Debian's chromium without a window, told what to do over a pipe: Chrome's DevTools protocol, of which tests need little."""
import base64
import json
import os
import shutil
import subprocess
import tempfile


def program():
    """Returns the browser's path; None: there is none."""
    return shutil.which("chromium-headless-shell") or shutil.which("chromium")


class Browser:
    """A browser with one page. What the page's console says, errors and warnings included, is in "console"."""

    def __init__(self, width=1200, height=900):
        self.directory = tempfile.mkdtemp()
        to_read, self.to = os.pipe()
        self.come, from_write = os.pipe()

        def place():
            # Descriptors 3 and 4 are the protocol's; both are moved out of the way of each other first.
            reading, writing = os.dup(to_read), os.dup(from_write)
            high = [os.dup(fd) for fd in (reading, writing)]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self.process = subprocess.Popen(
            [program(), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
             "--no-first-run", "--disable-extensions", "--disable-background-networking", "--remote-debugging-pipe",
             "--enable-precise-memory-info", "--user-data-dir=" + self.directory, "--window-size=%d,%d" % (width, height)],
            preexec_fn=place, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(from_write)
        self.buffer, self.number, self.session, self.events, self.console = b"", 0, None, [], []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "Performance"):
            self.call(domain + ".enable")
        self.resize(width, height)

    def receive(self):
        while b"\0" not in self.buffer:
            piece = os.read(self.come, 1 << 20)
            if not piece:
                raise RuntimeError("the browser has ended")
            self.buffer += piece
        message, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(message)
        method, what = message.get("method"), message.get("params", {})
        if method == "Runtime.consoleAPICalled":
            self.console.append(" ".join(str(arg.get("value", arg.get("description"))) for arg in what["args"]))
        elif method == "Runtime.exceptionThrown":
            details = what["exceptionDetails"]
            self.console.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Log.entryAdded":
            self.console.append(what["entry"]["text"])
        if method:
            self.events.append((method, what))
        return message

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.to, data):]
        number = self.number
        while True:
            answer = self.receive()
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError("%s: %s" % (method, answer["error"]["message"]))
                return answer["result"]

    def open(self, path):
        """Opens a file, and waits until its scripts have run."""
        self.console, self.events = [], []
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        while not any(method == "Page.loadEventFired" for method, _ in self.events):
            self.receive()

    def run(self, expression):
        """Evaluates an expression of JavaScript's in the page, and returns its value."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description", details["text"]))
        return answer["result"].get("value")

    def key(self, name):
        for kind in ("keyDown", "keyUp"):
            code = {"Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "End": 35,
                    "Tab": 9, "Home": 36}[name]
            text = {"text": "\r"} if (kind, name) == ("keyDown", "Enter") else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=name, code=name, windowsVirtualKeyCode=code, **text)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def click(self, expression):
        """Presses the mouse on an element."""
        x, y = self.run("(() => { const e = %s; e.scrollIntoView({block: 'center'}); const b = e.getBoundingClientRect();"
                        "return [b.x + b.width / 2, b.y + b.height / 2]; })()" % expression)
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def resize(self, width, height, dark=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def picture(self, path, top=0, height=None):
        """Writes a PNG of the whole page, or of a part of its height."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": top, "width": size["width"], "height": height or min(size["height"] - top, 12000), "scale": 1}
        data = self.call("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def close(self):
        try:
            self.session = None
            self.call("Browser.close")
        except (RuntimeError, OSError):
            pass
        self.process.wait(20)
        for fd in (self.to, self.come):
            os.close(fd)
        shutil.rmtree(self.directory, ignore_errors=True)
