#!/usr/bin/env python3
"""Draws the screenshots of the README and the tutorial: the board of launches and the album of pictures, under the simulated
sky, in both colour schemes; and pointing at a shop.

    make shots
    python3 Tests/Browser/shots.py FLOW FOLDER
"""

import os
import signal
import subprocess
import sys
import tempfile
import threading
from http.server import ThreadingHTTPServer

from playwright.sync_api import sync_playwright

from pick import Pick, Site

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
VIEWS = {"board": "upcoming-launches/board", "album": "apod-album/page?f.Type=image"}


def draw_picking(flow, folder, browser):
    server = ThreadingHTTPServer(("127.0.0.1", 8766), Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    pick = Pick(flow, "http://127.0.0.1:8766/", "-o", "lamps.yaml")
    page = browser.new_page(viewport={"width": 1200, "height": 620}, color_scheme="light")
    page.goto(pick.url)
    page.locator("#rows td").first.wait_for()
    page.get_by_role("button", name="Entries").click()
    sheet = page.locator("#sheet").bounding_box()
    page.mouse.move(sheet["x"] + sheet["width"] * .25, sheet["y"] + sheet["width"] * .18)
    page.wait_for_timeout(300)
    page.screenshot(path=f"{folder}/pick-entries.png")
    page.get_by_role("button", name="Parts of them").click()
    page.set_viewport_size({"width": 1200, "height": 1000})
    page.mouse.move(sheet["x"] + sheet["width"] * .16, sheet["y"] + sheet["width"] * .182)
    page.wait_for_timeout(300)
    page.screenshot(path=f"{folder}/pick-fields.png")
    pick.process.terminate()
    pick.end()
    server.shutdown()


def main():
    flow, folder = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    pipelines = [f"pipelines/{path.split('/')[0]}.yaml" for path in VIEWS.values()]
    with tempfile.TemporaryDirectory() as outputs, sync_playwright() as playwright:
        run = subprocess.Popen(
            [flow, "run", "--sky", "--speed", "1", "--out", outputs, "--page=127.0.0.1:0", "--page-pictures"] + pipelines,
            cwd=ROOT, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        url = next(line.split("page: ")[1].strip() for line in run.stderr if "page: http" in line)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        try:
            draw_picking(flow, folder, browser)
            for scheme in ["light", "dark"]:
                page = browser.new_page(viewport={"width": 1100, "height": 620}, color_scheme=scheme)
                for name, path in VIEWS.items():
                    page.goto(url)
                    for _ in range(100):
                        page.goto(f"{url}v/{path}")
                        if page.locator("#rows .card").count() > 3:
                            break
                        page.wait_for_timeout(200)
                    page.get_by_text("● live").wait_for()
                    page.wait_for_load_state("load")
                    page.wait_for_timeout(3000)
                    page.screenshot(path=f"{folder}/page-{name}-{scheme}.png")
        finally:
            browser.close()
            run.send_signal(signal.SIGTERM)
            run.wait(20)


if __name__ == "__main__":
    main()
