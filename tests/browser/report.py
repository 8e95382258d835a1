#!/usr/bin/python3
"""report.py - looks at a report in headless Chromium, and says what is wrong with it

SPDX-License-Identifier: MIT

    report.py REPORT.html DIRECTORY

Opens the page wide, as wide as a phone, in the dark and as print, leaves a picture of each and a PDF in
DIRECTORY, and ends with status 1 if the page asks for anything outside itself, complains on the console,
holds a script, is wider than the screen, has a picture that does not load, a link that leads nowhere or
text of too little contrast. Before that, a page with all these faults must be found to have them.
Talks to Chromium by the DevTools protocol over two pipes: no port is opened.
"""
import base64, fcntl, json, os, pathlib, select, shutil, subprocess, sys, tempfile, time

LOOKS = {  # name: width, height, pixels per unit, color scheme
    "desktop": (1280, 900, 1, "light"),
    "phone": (390, 844, 2, "light"),
    "dark": (1280, 900, 1, "dark"),
    "phone-dark": (390, 844, 2, "dark"),
}

# What can only be asked from within. Contrast as WCAG 2 defines it, against the nearest background.
QUESTIONS = r"""(() => {
  const found = [];
  const wide = document.scrollingElement.scrollWidth;
  if (wide > innerWidth) found.push(`the page is ${wide} wide on a screen of ${innerWidth}`);
  if (document.scripts.length) found.push("the page holds a script");
  for (const image of document.images) {
    if (!image.complete || !image.naturalWidth) found.push(`picture not loaded: ${image.alt}`);
    if (image.getBoundingClientRect().right > innerWidth + 1) found.push(`picture too wide: ${image.alt}`);
  }
  for (const link of document.querySelectorAll('a[href^="#"]'))
    if (!document.getElementById(link.getAttribute("href").slice(1)))
      found.push(`link to nowhere: ${link.getAttribute("href")}`);
  const parse = color => (color.match(/[\d.]+/g) || []).map(Number);
  const light = color => {
    const [r, g, b] = parse(color).map(c => c / 255).map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = element => {
    for (; element; element = element.parentElement) {
      const color = getComputedStyle(element).backgroundColor, parts = parse(color);
      if (parts.length === 3 || parts[3] === 1) return color;
    }
    return "rgb(255, 255, 255)";
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let texts = 0;
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !element.getClientRects().length) continue;
    texts++;
    const a = light(getComputedStyle(element).color), b = light(behind(element));
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) found.push(`contrast ${contrast.toFixed(2)}: ${walker.currentNode.data.trim().slice(0, 40)}`);
  }
  return {found, texts, height: document.scrollingElement.scrollHeight, background: light(behind(document.body)),
          cards: [...document.querySelectorAll(".picture")].map(card => light(behind(card)))};
})()"""

BROKEN = b"""<!DOCTYPE html><html lang="en"><head><title>broken</title></head><body style="background:#fff">
<img src="http://192.0.2.1/x.png" alt="outside"><p style="width:3000px">wide</p><a href="#gone">gone</a>
<p style="color:#bbb">pale</p><script>console.error("complaint")</script></body></html>"""
FAULTS = ("asks for http://192.0.2.1/x.png", "console: complaint", "wide on a screen", "holds a script",
          "picture not loaded: outside", "link to nowhere: #gone", "contrast 1.9")


class Browser:
    """One page of a headless Chromium with a directory of its own."""

    def __init__(self, profile):
        program = shutil.which("chromium") or sys.exit("report.py: chromium is not here; apt install chromium")
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 20) for pair in (os.pipe(), os.pipe()) for end in pair]
        child_in, self.to, self.answers, child_out = ends
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{child_in} 4>&{child_out}', "bash", program, "--headless",
             "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--no-first-run", "--disable-background-networking", "--disable-component-update",
             "--disable-sync", "--disable-extensions", f"--user-data-dir={profile}", "about:blank"],
            pass_fds=(child_in, child_out), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=open(profile + "/chromium.log", "wb"))
        os.close(child_in)
        os.close(child_out)
        self.log = profile + "/chromium.log"
        self.buffer, self.number, self.events, self.session = b"", 0, [], None
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in "Page", "Network", "Runtime", "Log":
            self.ask(domain + ".enable")

    def receive(self, until):
        """The next message, or None when it is too late."""
        while b"\0" not in self.buffer:
            ready = select.select([self.answers], [], [], max(0, until - time.monotonic()))[0]
            if not ready:
                return None
            more = os.read(self.answers, 1 << 20)
            if not more:
                sys.exit("report.py: chromium ended: " + open(self.log, errors="replace").read()[-2000:])
            self.buffer += more
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def ask(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + 120
        while (answer := self.receive(until)) is not None:
            if answer.get("id") != self.number:
                self.events.append(answer)
            elif "error" in answer:
                sys.exit(f"report.py: {method}: {answer['error']}")
            else:
                return answer["result"]
        sys.exit(f"report.py: {method}: no answer from chromium")

    def open(self, address):
        """Loads a page, and returns what it asked for and complained of."""
        self.events = []
        self.ask("Page.navigate", url=address)
        until = time.monotonic() + 60
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            event = self.receive(until)
            if event is None:
                sys.exit(f"report.py: {address} did not load within a minute")
            self.events.append(event)
        self.ask("Runtime.evaluate", expression="document.fonts.ready", awaitPromise=True)
        return list(self.complaints(address))

    def complaints(self, address):
        for event in self.events:
            method, told = event.get("method"), event.get("params", {})
            if method == "Network.requestWillBeSent":
                url = told["request"]["url"]
                if url != address and not url.startswith("data:"):
                    yield f"asks for {url}"
            elif method == "Runtime.consoleAPICalled":
                yield "console: " + " ".join(str(a.get("value")) for a in told["args"])
            elif method == "Runtime.exceptionThrown":
                yield "exception: " + told["exceptionDetails"]["text"]
            elif method == "Log.entryAdded":
                yield "log: " + told["entry"]["text"]

    def look(self, width, height, density, scheme):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=density,
                 mobile=width < 500)
        self.ask("Emulation.setEmulatedMedia", media="screen",
                 features=[{"name": "prefers-color-scheme", "value": scheme}])

    def question(self):
        return self.ask("Runtime.evaluate", expression=QUESTIONS, returnByValue=True)["result"]["value"]

    def paper(self):
        """As print, on a system that is dark."""
        self.ask("Emulation.setEmulatedMedia", media="print",
                 features=[{"name": "prefers-color-scheme", "value": "dark"}])
        answer = self.question()
        pdf = self.ask("Page.printToPDF", printBackground=True, preferCSSPageSize=True, paperWidth=8.27,
                       paperHeight=11.69)
        return answer, base64.b64decode(pdf["data"])

    def close(self):
        self.session = None
        self.ask("Browser.close")
        self.process.wait(60)


def examine(browser, address, directory):
    problems = []
    for name, (width, height, density, scheme) in LOOKS.items():
        browser.look(width, height, density, scheme)
        problems += [f"{name}: {what}" for what in browser.open(address)]
        answer = browser.question()
        problems += [f"{name}: {what}" for what in answer["found"]]
        if (answer["background"] < 0.2) != (scheme == "dark"):
            problems.append(f"{name}: the background is of the wrong scheme")
        if any(card < 0.99 for card in answer["cards"]):
            problems.append(f"{name}: a picture drawn on white stands on something else")
        if directory:
            step = 16000 // density  # Chromium draws at most 16384 pixels in one piece
            for part, top in enumerate(range(0, answer["height"], step)):
                clip = {"x": 0, "y": top, "width": width, "height": min(step, answer["height"] - top), "scale": 1}
                shot = browser.ask("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)["data"]
                (directory / f"{name}-{part + 1}.png").write_bytes(base64.b64decode(shot))
            print(f"{name}: {width} x {answer['height']}, {answer['texts']} texts, {len(answer['cards'])} pictures")
    answer, pdf = browser.paper()
    problems += [f"print: {what}" for what in answer["found"] if "wide" not in what]
    if answer["background"] < 0.99:
        problems.append("print: the background is not white")
    if not pdf.startswith(b"%PDF-"):
        problems.append("print: no PDF")
    if directory:
        (directory / "print.pdf").write_bytes(pdf)
        print(f"print: {pdf.count(b'/Type /Page') - pdf.count(b'/Type /Pages')} pages")
    return problems


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: report.py REPORT.html DIRECTORY")
    page, directory = pathlib.Path(sys.argv[1]).resolve(strict=True), pathlib.Path(sys.argv[2])
    directory.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="isinglass-browser-") as scratch:
        browser = Browser(scratch)
        try:
            broken = pathlib.Path(scratch, "broken.html")
            broken.write_bytes(BROKEN)
            seen = examine(browser, broken.as_uri(), None)
            unseen = [fault for fault in FAULTS if not any(fault in problem for problem in seen)]
            problems = [f"this check does not see: {fault}" for fault in unseen]
            problems += examine(browser, page.as_uri(), directory)
        finally:
            browser.close()
    for problem in problems:
        print(problem)
    print(f"{page.name}: {page.stat().st_size} bytes, {len(problems)} problems; see {directory}")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
