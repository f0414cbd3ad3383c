#!/usr/bin/env python3
"""Drives Chromium through the pages of flow: content, live updates, a killed and restarted run, no JavaScript, the
keyboard, both colour schemes, three widths, accessibility, and what a page of another name gets.

    make test-page
    python3 Tests/Browser/page.py FLOW [--shots FOLDER] [--short] [--update]

--shots keeps a screenshot of every page; --short looks for accessibility at one width in each scheme; --update rewrites
the golden accessibility tree. Ends with the plain line
"N passed, N failed".
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import urllib.request

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

HERE = os.path.dirname(os.path.abspath(__file__))
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
LAYOUTS = ["list", "cards", "board", "table", "album"]
PARTS = r"""
      key: .id
      title: '\(.name)'
      subtitle: '\(.place)'
      time: .at
      status: '{ word: .status, color: (if .status == "Go" then "good" else "warn" end) }'
      link: .link
      picture: .picture
      facets: { Status: .status }
      sort: .id
      per_page: 20
      detail: { Place: .place, Mass: '{ kg: .mass, lb: (.mass * 2.2) }', About: .about }
      units: metric
"""


def pipeline(folder):
    sinks = "".join(
        f"  {name}:\n    page:\n      as: {name}\n      name: The {name}{PARTS}" for name in LAYOUTS)
    log = r"""  changes: { page: { as: log, name: The log, title: '\(.name)', time: .at } }
"""
    path = os.path.join(folder, "pages.yaml")
    with open(path, "w") as file:
        file.write(
            f"name: pages\nepoch: {{ time: 20ms }}\nsources: {{ rows: {{ file: {{ path: rows.jsonl, follow: true }} }} }}\nsteps: []\nsinks:\n{sinks}{log}")
    with open(os.path.join(folder, "polled.yaml"), "w") as file:
        file.write("name: polled\ndescription: Polled each hour\nsources: { tick: { generate: ., every: 1h } }\n"
                   "steps: [ { delay: 30s } ]\nsinks: { out: null }\n")
    with open(os.path.join(folder, "slips.yaml"), "w") as file:
        file.write(r"""name: slips
epoch: { time: 20ms }
sources: { moves: { file: { path: moves.jsonl, follow: true } } }
steps: [ changes: { key: .id } ]
sinks:
  log: { page: { as: log, name: Slips, title: '\(.after.name)' } }
  tell: { exec: { command: ['false'], attempts: 1 } }
""")
    return path


def row(number, **changes):
    values = {
        "id": number, "name": f"Row {number}", "place": "Pad <b>1</b> & more", "at": "2031-03-04T05:06:00Z",
        "status": "Go" if number % 2 else "Hold", "link": f"https://a.example/{number}", "mass": 549054,
        "picture": "https://pictures.example/p.png", "about": "A sentence. " * 30,
    }
    return {**values, **changes}


class Run:
    """A run of flow with a page, on a file that rows are appended to."""

    def __init__(self, flow, folder):
        self.flow, self.folder, self.process = os.path.abspath(flow), folder, None
        self.pipeline = pipeline(folder)
        self.rows = os.path.join(folder, "rows.jsonl")
        self.moves = os.path.join(folder, "moves.jsonl")
        for path in [self.rows, self.moves]:
            open(path, "w").close()
        self.port = 0

    def append(self, *rows):
        with open(self.rows, "a") as file:
            file.write("".join(json.dumps(row) + "\n" for row in rows))

    def move(self, *days):
        """Moves a launch to other days of March."""
        with open(self.moves, "a") as file:
            file.write("".join('{"id":1,"name":"Relay","net":"2031-03-%02dT00:00:00Z"}\n' % day for day in days))

    def start(self):
        log = open(os.path.join(self.folder, "log"), "w+")
        self.process = subprocess.Popen(
            [self.flow, "run", f"--page=127.0.0.1:{self.port}", "--state", "state", self.pipeline, "polled.yaml", "slips.yaml"],
            cwd=self.folder, stderr=log, stdout=subprocess.DEVNULL)
        for _ in range(300):
            with open(log.name) as file:
                for line in file:
                    # Log lines in a file begin with the time.
                    if " page: http://" in line:
                        self.url = line.split(" page: ", 1)[1].strip()
                        self.port = int(self.url.rsplit(":", 1)[1].rstrip("/"))
                        return
            if self.process.poll() is not None:
                break
            time.sleep(0.1)
        raise AssertionError("flow does not start:\n" + open(log.name).read())

    def view(self, name):
        return f"{self.url}v/pages/{name}"

    def rows_of(self, name):
        return json.load(urllib.request.urlopen(self.view(name) + ".json"))

    def end(self, sign=signal.SIGTERM):
        if self.process and self.process.poll() is None:
            self.process.send_signal(sign)
            self.process.wait(20)


class Checks:
    def __init__(self, run, browser, shots, is_short, update):
        self.run, self.browser, self.shots, self.is_short, self.update = run, browser, shots, is_short, update
        self.problems = []

    def page(self, **options):
        options.setdefault("viewport", {"width": 1280, "height": 900})
        context = self.browser.new_context(**options)
        page = context.new_page()
        page.set_default_timeout(15000)
        page.on("console", lambda message: message.type in ("error", "warning") and self.problems.append(
            f"console: {message.text}"))
        page.on("pageerror", lambda error: self.problems.append(f"error: {error}"))
        page.on("request", lambda request: request.url.startswith(self.run.url) or self.problems.append(
            f"request to another host: {request.url}"))
        return page

    def titles(self, page):
        return page.locator("#rows a.title").all_inner_texts()

    # Each check is a method named check_…, run in order.

    def check_content(self):
        for name in LAYOUTS:
            # The page is there before the file has been read.
            for _ in range(200):
                if len(self.run.rows_of(name)) == 25:
                    break
                time.sleep(0.05)
            page = self.page()
            page.goto(self.run.view(name))
            rows = self.run.rows_of(name)
            assert len(rows) == 25, len(rows)
            assert self.titles(page) == [row["title"] for row in rows[:20]], name
            assert "Pad <b>1</b> & more" in page.locator("#rows").inner_text(), "data is text"
            page.get_by_role("link", name="Next").click()
            page.get_by_role("link", name="Row 21", exact=True).wait_for()
            assert self.titles(page) == [row["title"] for row in rows[20:]], name
            page.get_by_role("link", name="Row 21", exact=True).click()
            page.locator("article").wait_for()
            assert page.get_by_role("heading", level=1).inner_text() == "Row 21"
            assert "549\u202f054\u00a0kg" in page.locator("article").inner_text()
            page.context.close()

    def check_live(self):
        page = self.page()
        page.goto(self.run.view("list"))
        page.get_by_text("● live").wait_for()
        delays = []
        for number in range(3):
            name = f"Moved {number}"
            start = time.monotonic()
            self.run.append(row(2, name=name))
            page.get_by_role("link", name=name).wait_for()
            delays.append(time.monotonic() - start)
        self.run.append(row(0, name="First"))
        page.get_by_role("link", name="First").wait_for()
        assert self.titles(page)[:3] == ["First", "Row 1", "Moved 2"], self.titles(page)[:3]
        assert len(self.titles(page)) == 20
        page.context.close()
        assert min(delays) < 0.5, delays
        print(f"    from the file to the screen, with a commit in between: {min(delays) * 1000:.0f} ms")

    def check_nothing_moves_under_the_pointer(self):
        page = self.page()
        page.goto(self.run.view("list"))
        page.get_by_text("● live").wait_for()
        page.locator("#rows a.title").first.focus()
        before = self.titles(page)
        self.run.append(row(-1, name="Waits"))
        button = page.get_by_role("button", name="1 new")
        button.wait_for()
        assert self.titles(page) == before
        assert page.evaluate("document.activeElement.textContent") == before[0], "the focus stays"
        button.click()
        page.get_by_role("link", name="Waits").wait_for()
        page.context.close()

    def check_killed_and_restarted(self):
        page = self.page()
        page.goto(self.run.view("changes"))
        page.get_by_text("● live").wait_for()
        before = self.titles(page)
        page.evaluate("window.kept = true")
        problems = len(self.problems)
        self.run.end(signal.SIGKILL)
        page.get_by_text("reconnecting").wait_for()
        self.run.append(row(1, name="Missed A", at="2032-01-01T00:00:00Z"))
        self.run.append(row(1, name="Missed B", at="2032-01-02T00:00:00Z"))
        self.run.start()
        page.get_by_text("● live").wait_for(timeout=30000)
        page.get_by_role("link", name="Missed A").wait_for()
        assert page.evaluate("window.kept"), "the tab was not reloaded"
        after = self.titles(page)
        assert after == (["Missed B", "Missed A"] + before)[:20], after
        # That the server was away is not an error of the page.
        self.problems[problems:] = [
            problem for problem in self.problems[problems:]
            if not problem.startswith("console: Failed to load resource: ")]
        page.context.close()

    def check_pipelines(self):
        page = self.page()
        page.goto(self.run.url)
        page.get_by_role("link", name="polled", exact=True).click()
        page.get_by_text("● live").wait_for()
        page.locator("#sources tbody td").nth(3).get_by_text("1", exact=True).wait_for()
        page.get_by_role("button", name="Poll tick now").click()
        page.locator("#sources tbody td").nth(3).get_by_text("2", exact=True).wait_for()
        # The lanes show what passes while the page is open: the event of the poll, and what the step holds.
        page.locator("#lanes svg[aria-label^='tick: 1 event']").wait_for()
        page.locator("#lanes svg[aria-label='delay: 0 events, and one is due within a minute']").wait_for()
        page.locator("#graph").get_by_text("2 out").wait_for()
        page.evaluate("window.kept = true")
        page.locator("#graph").get_by_role("link", name="delay").click()
        assert page.get_by_role("heading", level=1).inner_text() == "delay"
        assert "polled.yaml:4:12" in page.locator("main").inner_text()
        page.go_back()
        page.locator("#lanes").get_by_role("link", name="tick").click()
        page.locator("#latest code").first.wait_for()
        page.context.close()

    def check_what_is_scrolled_stays(self):
        page = self.page(viewport={"width": 390, "height": 800})
        page.goto(self.run.url + "p/polled")
        page.get_by_text("● live").wait_for()
        assert page.locator("pre.tree").is_visible() and not page.locator("svg.graph").is_visible()
        table = page.locator("#sources .scroll")
        table.evaluate("element => element.scrollLeft = 60")
        polls = page.locator("#sources tbody td").nth(3)
        before = polls.inner_text()
        page.get_by_role("button", name="Poll tick now").evaluate(
            "button => fetch(button.form.action, { method: 'POST', body: new URLSearchParams(new FormData(button.form)) })")
        polls.get_by_text(str(int(before) + 1), exact=True).wait_for()
        assert table.evaluate("element => element.scrollLeft") == 60
        page.context.close()

    def check_history_of_a_key(self):
        page = self.page()
        page.goto(f"{self.run.url}v/slips/log")
        page.locator("#rows a.title").first.click()
        page.get_by_role("heading", name="History").wait_for()
        assert page.locator("#history tbody tr").count() == 3
        chart = page.locator("#history svg")
        assert chart.get_attribute("aria-label").startswith("net: 2 changes, from 2031-03-01 00:00 UTC to 2031-03-04")
        page.get_by_text("● live").wait_for()
        self.run.move(20)
        page.locator("#history svg[aria-label^='net: 3 changes']").wait_for()
        page.locator("#history tbody a").last.click()
        page.get_by_text("added").first.wait_for()
        page.context.close()

    def check_dead_letters(self):
        page = self.page()
        page.goto(f"{self.run.url}p/slips/tell")
        # Three changes before the page was opened, and one since.
        page.get_by_role("button", name="Drop dead letter 4", exact=True).wait_for()
        page.get_by_role("button", name="Drop dead letter 1", exact=True).click()
        page.get_by_role("button", name="Drop dead letter 1", exact=True).wait_for(state="detached")
        count = page.locator("#dead tbody tr").count()
        # It fails again, as another letter.
        page.get_by_role("button", name="Retry dead letter 2", exact=True).click()
        page.get_by_role("button", name=f"Drop dead letter {count + 2}", exact=True).wait_for()
        assert page.locator("#dead tbody tr").count() == count
        page.context.close()

    def check_without_script(self):
        for name in LAYOUTS + ["changes"]:
            page = self.page(java_script_enabled=False)
            page.goto(self.run.view(name))
            assert len(self.titles(page)) == 20, name
            assert page.locator("#live").inner_text().startswith("as of ")
            page.context.close()
        page = self.page(java_script_enabled=False)
        page.goto(self.run.url + "p/polled")
        page.get_by_role("button", name="Poll tick now").click()
        page.get_by_role("heading", name="Timeline").wait_for()
        page.goto(self.run.view("list"))
        page.get_by_label("Status").select_option(label=page.get_by_label("Status").locator("option").nth(2).inner_text())
        page.get_by_role("button", name="Show", exact=True).click()
        assert "f.Status=" in page.url and " of " in page.locator("#summary").inner_text()
        page.get_by_role("link", name="Row 4", exact=True).click()
        page.get_by_role("button", name="Use imperial units").click()
        assert "lb" in page.locator("article").inner_text()
        page.context.close()

    def check_keyboard(self):
        page = self.page()
        page.goto(self.run.view("list"))
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "main"
        page.keyboard.press("j")
        page.keyboard.press("j")
        page.keyboard.press("k")
        assert page.evaluate("document.activeElement.textContent") == self.titles(page)[0]
        page.keyboard.press("/")
        page.keyboard.type("row 24")
        page.keyboard.press("Enter")
        page.wait_for_url("**q=row+24*")
        page.get_by_text("1 of 2").wait_for()
        assert self.titles(page) == ["Row 24"], self.titles(page)
        page.keyboard.press("j")
        page.keyboard.press("o")
        page.wait_for_url("**/list/*")
        page.keyboard.press("g")
        page.wait_for_url(self.run.url)
        page.context.close()

    def check_schemes_widths_and_accessibility(self):
        axe = Axe()
        addresses = [("home", self.run.url)] + [(name, self.run.view(name)) for name in LAYOUTS + ["changes"]]
        detail = self.page()
        detail.goto(self.run.view("list"))
        addresses += [(name, f"{self.run.url}p/{path}") for name, path in
                      [("pipeline", "pages"), ("polled", "polled"), ("node", "pages/rows"), ("dead", "slips/tell")]]
        addresses.append(("row", self.run.url.rstrip("/") + detail.locator("#rows a.title").first.get_attribute("href")))
        detail.goto(f"{self.run.url}v/slips/log")
        entry = self.run.url.rstrip("/") + detail.locator("#rows a.title").first.get_attribute("href")
        addresses.append(("history", entry))
        detail.context.close()
        for scheme in ["light", "dark"]:
            page = self.page(color_scheme=scheme)
            for name, address in addresses:
                for width in [390, 1280, 1920]:
                    page.set_viewport_size({"width": width, "height": 900})
                    page.goto(address)
                    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
                    assert wide <= 0, f"{name} is {wide} pixels too wide at {width}"
                    if self.shots:
                        page.screenshot(path=f"{self.shots}/{name}-{scheme}-{width}.png")
                    if width == 1920 or self.is_short and (scheme, width) not in [("light", 390), ("dark", 1280)]:
                        continue
                    found = axe.run(page)
                    assert found.violations_count == 0, f"{name}, {scheme}, {width}:\n{found.generate_report()}"
            page.context.close()

    def check_accessibility_trees(self):
        page = self.page(java_script_enabled=False)
        page.goto(f"{self.run.url}v/slips/log")
        entry = self.run.url.rstrip("/") + page.locator("#rows a.title").last.get_attribute("href")
        for name, address in [
                ("list", self.run.view("list") + "?q=row+24"), ("board", self.run.view("board") + "?q=row+24"),
                ("table", self.run.view("table") + "?q=row+24"), ("history", entry),
                ("dead", f"{self.run.url}p/slips/tell")]:
            page.goto(address)
            # The counters of a sink depend on how often it was restarted.
            tree = page.locator("#dead" if name == "dead" else "body").aria_snapshot()
            # Times of this run, and ids made of them.
            tree = re.sub(r"202\d-\d\d-\d\d \d\d:\d\d(:\d\d)? UTC", "TIME", tree)
            tree = re.sub(r"202\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "TIME", tree)
            tree = re.sub(r"202\d-\d\d-\d\d( \d\d:\d\d)?", "DAY", tree)
            tree = re.sub(r"(?<=/log/)[0-9a-f]{16}", "ID", tree)
            tree = re.sub(r"\d+ (s|min|h) ago|in \d+ d( \d+ h)?", "…", tree)
            tree = "\n".join(line for line in tree.splitlines() if "as of" not in line and "arguments" not in line) + "\n"
            golden = os.path.join(HERE, name + ".aria")
            if self.update:
                open(golden, "w").write(tree)
            assert tree == open(golden).read(), f"{name}:\n{tree}"
        page.context.close()

    def check_rebinding(self):
        browser = self.browser.browser_type.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--host-resolver-rules=MAP evil.test 127.0.0.1"])
        page = browser.new_page()
        answer = page.goto(f"http://evil.test:{self.run.port}/")
        assert answer.status == 421, answer.status
        browser.close()

    def check_quiet(self):
        assert not self.problems, "\n".join(sorted(set(self.problems)))


def main():
    flow = sys.argv[1]
    shots = sys.argv[sys.argv.index("--shots") + 1] if "--shots" in sys.argv else None
    if shots:
        os.makedirs(shots, exist_ok=True)
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        run = Run(flow, folder)
        run.append(*[row(number) for number in range(1, 26)])
        run.move(1, 9, 4)
        run.start()
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        checks = Checks(run, browser, shots, "--short" in sys.argv, "--update" in sys.argv)
        try:
            for name in [name for name in Checks.__dict__ if name.startswith("check_")]:
                start = time.monotonic()
                try:
                    getattr(checks, name)()
                    passed += 1
                    print(f"  ok    {name[6:].replace('_', ' ')} ({time.monotonic() - start:.1f} s)", flush=True)
                except Exception:
                    failed += 1
                    print(f"  FAIL  {name[6:].replace('_', ' ')}\n{traceback.format_exc()}", flush=True)
        finally:
            browser.close()
            run.end()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
