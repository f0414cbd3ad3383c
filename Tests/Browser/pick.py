#!/usr/bin/env python3
"""Drives Chromium through the page of `flow new --pick`: pointing, the keyboard, the preview, what is written, three widths,
accessibility, and a watched page whose texts are scripts.

    make test-page
    python3 Tests/Browser/pick.py FLOW [--shots FOLDER]

Ends with the plain line "N passed, N failed".
"""

import http.server
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import urllib.error
import urllib.request

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")

# Names that tools generate, cards in rows, and texts that are markup.
HOSTILE = """<!DOCTYPE html><title>Hostile</title><body><script>
  document.body.innerHTML = [0, 1].map(row => `<div class="css-9x8y7z">` + [0, 1, 2].map(place => {
    const n = row * 3 + place;
    return `<section class="sc-bdVaJa Tile_tile__x7K2p" style="display:inline-block;width:200px;padding:9px" onclick="alert(1)">
      <b class="css-1q2w3e">&lt;img src=x onerror=alert(${n})&gt;&lt;script&gt;alert(${n})&lt;/script&gt;</b>
      <em class="css-5t6y7u">1.${200 + n},50 €</em><time datetime="2026-01-0${n + 1}">Jan ${n + 1}</time></section>`;
  }).join('') + '</div>').join('');
</script></body>"""


def shop():
    """The shop of the tutorial: its blocks by file name."""
    text = open(os.path.join(ROOT, "docs/tutorial.md")).read()
    return {name: body for name, body in re.findall(r"```\w+ shop/(\S+)\n(.*?)```", text, re.S)}


class Site(http.server.BaseHTTPRequestHandler):
    pages = {**{f"/{name}": body for name, body in shop().items()}, "/hostile": HOSTILE,
             "/plain": "<!DOCTYPE html><title>P</title><ul id=list>" + "".join(f"<li><a href=/{n}>Entry {n}</a> <i>{n} kg</i>" for n in range(5)) + "</ul>"}

    def do_GET(self):
        if self.path == "/slow":
            time.sleep(15)
        body = self.pages.get("/index.html" if self.path == "/" else self.path)
        self.send_response(200 if body else 404)
        self.send_header("Content-Type", "application/json" if self.path.endswith(".json") else "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write((body or "").encode())

    def log_message(self, *_):
        pass


class Pick:
    """A run of `flow new --pick` in a folder of its own."""

    def __init__(self, flow, address, *arguments):
        self.folder = tempfile.TemporaryDirectory()
        with open(os.path.join(self.folder.name, "config.yaml"), "w") as file:
            file.write(f"browser: {{ command: {CHROMIUM}, sandbox: {'off' if os.geteuid() == 0 else 'on'} }}\n")
        self.process = subprocess.Popen(
            [flow, "new", "--pick", address, *arguments], cwd=self.folder.name, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env={**os.environ, "TMPDIR": self.folder.name})
        self.lines = []
        for line in self.process.stderr:
            self.lines.append(line)
            if line.startswith("pick: "):
                self.url = line.split()[1]
                return
        raise AssertionError("flow does not start:\n" + "".join(self.lines))

    def end(self):
        output, errors = self.process.communicate(timeout=20)
        return output, "".join(self.lines) + errors

    def text(self, name):
        return open(os.path.join(self.folder.name, name)).read()


class Checks:
    def __init__(self, flow, browser, site, shots):
        self.flow, self.browser, self.site, self.shots = flow, browser, site, shots
        self.problems = []

    def open(self, pick, **options):
        options.setdefault("viewport", {"width": 1200, "height": 800})
        page = self.browser.new_context(**options).new_page()
        page.set_default_timeout(15000)
        page.on("console", lambda message: message.type in ("error", "warning") and self.problems.append(message.text))
        page.on("pageerror", lambda error: self.problems.append(f"error: {error}"))
        page.on("dialog", lambda dialog: self.problems.append(f"dialog: {dialog.message}"))
        page.on("request", lambda request: request.url.startswith(pick.url) or self.problems.append(request.url))
        page.goto(pick.url)
        page.locator("#rows td").first.wait_for()
        return page

    def shot(self, page, name):
        if self.shots:
            page.screenshot(path=f"{self.shots}/pick-{name}.png")

    def point(self, page, x, y):
        """Clicks at a place of the watched page, in its own pixels."""
        sheet = page.locator("#sheet").bounding_box()
        scale = sheet["width"] / 1280
        page.mouse.move(sheet["x"] + x * scale, sheet["y"] + y * scale)
        page.mouse.click(sheet["x"] + x * scale, sheet["y"] + y * scale)

    def check_list_is_found_and_written(self):
        pick = Pick(self.flow, self.site, "-o", "shop.yaml")
        page = self.open(pick)
        self.shot(page, "start")
        assert page.locator("#count").inner_text() == "9 entries", page.locator("#count").inner_text()
        names = [box.input_value() for box in page.get_by_label("Name of field").all()]
        assert {"id", "title", "price"} <= set(names), names
        hits = page.locator("#fields output").all_inner_texts()
        assert set(hits) == {"9 of 9"}, hits
        assert "39.9" in page.locator("#rows tr").nth(1).inner_text()
        page.get_by_role("button", name="Write shop.yaml").click()
        page.get_by_text("Written. Next: flow run shop.yaml").wait_for()
        output, errors = pick.end()
        assert pick.process.returncode == 0 and "wrote shop.yaml" in errors, errors
        text = pick.text("shop.yaml")
        assert "select: '[data-offer-id]'" in text and "browser: { wait:" in text and "tonumber" in text, text
        run = subprocess.run([self.flow, "run", "--once", "--no-state", "shop.yaml"], cwd=pick.folder.name, capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
        page.context.close()

    def check_pointing_and_the_keyboard(self):
        pick = Pick(self.flow, self.site)
        page = self.open(pick)
        page.get_by_role("button", name="Entries").click()
        self.point(page, 168, 98)
        page.get_by_text("3 entries").wait_for()
        assert page.locator("#select").input_value() == "nav > a", page.locator("#select").input_value()
        self.shot(page, "other")
        page.locator("#list-0").press("Enter")
        page.get_by_text("9 entries").wait_for()
        page.get_by_role("button", name="Remove price").press("Enter")
        page.get_by_label("price: selector").wait_for(state="detached")
        # Into the entry, and on to its price.
        page.get_by_role("button", name="Parts of them").press("Enter")
        stage = page.locator("#stage")
        for key in ["ArrowDown", "ArrowRight", "ArrowDown"]:
            stage.press(key)
        assert page.locator("#say").inner_text() == "€39.90", page.locator("#say").inner_text()
        stage.press("Enter")
        page.get_by_label("price: selector").wait_for()
        assert page.get_by_label("price: what it is").input_value() == "number"
        page.get_by_label("price: what it is").select_option("text")
        page.get_by_role("cell", name="€39.90", exact=True).wait_for()
        page.get_by_label("price: selector").fill(".nothing")
        page.get_by_label("price: selector").press("Enter")
        page.get_by_text("0 of 9").wait_for()
        page.get_by_label("price: selector").fill("..")
        page.get_by_label("price: selector").press("Enter")
        page.get_by_text("no selector").wait_for()
        page.get_by_label("Selector", exact=True).fill("li:contains(\"lamp\")")
        page.get_by_label("Selector", exact=True).press("Enter")
        page.get_by_text("6 entries").wait_for()
        page.get_by_role("button", name="Write to the terminal").click()
        page.get_by_text("It is in the terminal now.").wait_for()
        output, errors = pick.end()
        assert pick.process.returncode == 0 and "select: 'li:contains(\"lamp\")'" in output, output
        page.context.close()

    def check_nothing_of_the_page_runs(self):
        pick = Pick(self.flow, self.site + "hostile")
        page = self.open(pick)
        assert page.locator("#count").inner_text() == "6 entries", page.locator("#count").inner_text()
        assert page.locator("#select").input_value() == 'section[class*="Tile_tile__"]', page.locator("#select").input_value()
        assert "onerror=alert(0)" in page.locator("#rows").inner_text()
        assert page.locator("#rows img, #rows script, #kinds img").count() == 0
        row = page.locator("#rows tr").nth(1).inner_text()
        assert "1200.5" in row and "2026-01-01" in row, row
        self.shot(page, "hostile")
        pick.process.send_signal(signal.SIGINT)
        pick.end()
        assert pick.process.returncode == 130, pick.process.returncode
        assert os.listdir(pick.folder.name) == ["config.yaml"], os.listdir(pick.folder.name)
        page.context.close()

    def check_a_page_without_scripts_needs_no_browser(self):
        pick = Pick(self.flow, self.site + "plain")
        page = self.open(pick)
        text = page.locator("#yaml").inner_text()
        assert "browser" not in text and "select: '#list > li'" in text, text
        pick.process.terminate()
        pick.end()
        page.context.close()

    def check_others_are_refused(self):
        pick = Pick(self.flow, self.site)
        token = pick.url.split("/")[3]

        def status(path, data=None, **headers):
            request = urllib.request.Request(pick.url.split(token)[0] + path, data, headers)
            try:
                return urllib.request.urlopen(request).status
            except urllib.error.HTTPError as error:
                return error.code
        assert status(f"{token}/") == 200
        assert [status(""), status("other/"), status(f"{token}x/"), status(f"{token}/nothing")] == [404] * 4
        assert status(f"{token}/", Host="evil.test") == 421
        assert status(f"{token}/write", b"{}", **{"Content-Type": "text/plain"}) == 400
        assert status(f"{token}/write", b"{}", **{"Content-Type": "application/json"}) == 200
        assert status(f"{token}/other", b"{}", **{"Content-Type": "application/json"}) == 400
        pick.process.terminate()
        pick.end()

    def check_an_interruption_while_the_page_loads(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(f"{folder}/config.yaml", "w") as file:
                file.write(f"browser: {{ command: {CHROMIUM}, sandbox: {'off' if os.geteuid() == 0 else 'on'} }}\n")
            process = subprocess.Popen([self.flow, "new", "--pick", self.site + "slow"], cwd=folder, stderr=subprocess.DEVNULL,
                                       env={**os.environ, "TMPDIR": folder})
            while len(os.listdir(folder)) < 2:
                time.sleep(0.1)
            process.send_signal(signal.SIGINT)
            assert process.wait(10) == 130, process.returncode
            assert os.listdir(folder) == ["config.yaml"], os.listdir(folder)

    def check_schemes_widths_and_accessibility(self):
        pick = Pick(self.flow, self.site)
        axe = Axe()
        for scheme in ["light", "dark"]:
            for width in [390, 1200, 1920]:
                page = self.open(pick, color_scheme=scheme, viewport={"width": width, "height": 800})
                wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
                assert wide <= 0, f"{wide} pixels too wide at {width}"
                page.wait_for_timeout(300)
                self.shot(page, f"{scheme}-{width}")
                found = axe.run(page)
                assert found.violations_count == 0, f"{scheme}, {width}:\n{found.generate_report()}"
                page.context.close()
        pick.process.terminate()
        pick.end()

    def check_quiet(self):
        assert not self.problems, "\n".join(sorted(set(self.problems)))


def main():
    flow = os.path.abspath(sys.argv[1])
    shots = sys.argv[sys.argv.index("--shots") + 1] if "--shots" in sys.argv else None
    if shots:
        os.makedirs(shots, exist_ok=True)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    passed = failed = 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        checks = Checks(flow, browser, f"http://127.0.0.1:{server.server_port}/", shots)
        for name in [name for name in Checks.__dict__ if name.startswith("check_")]:
            start = time.monotonic()
            try:
                getattr(checks, name)()
                passed += 1
                print(f"  ok    {name[6:].replace('_', ' ')} ({time.monotonic() - start:.1f} s)", flush=True)
            except Exception:
                failed += 1
                print(f"  FAIL  {name[6:].replace('_', ' ')}\n{traceback.format_exc()}", flush=True)
        browser.close()
    server.shutdown()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
