#!/usr/bin/env python3
"""Draws the screenshots of the README: the board of launches and the album of pictures, under the simulated sky, in both
colour schemes.

    make shots
    python3 Tests/Browser/shots.py FLOW FOLDER
"""

import os
import signal
import subprocess
import sys
import tempfile

from playwright.sync_api import sync_playwright

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
VIEWS = {"board": "upcoming-launches/board", "album": "apod-album/page?f.Type=image"}


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
