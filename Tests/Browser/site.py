#!/usr/bin/env python3
"""Reads the documentation site in Chromium: what its first page weighs, that it asks no other server for anything, that
the search finds, and accessibility in both colour schemes and on a phone.

    make test-site
    python3 Tests/Browser/site.py SITE [--shots FOLDER]

Ends with the plain line "N passed, N failed".
"""

import functools
import gzip
import http.server
import os
import re
import sys
import threading
import traceback

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
PAGES = ["index.html", "gallery.html", "pipelines/phone.html", "recipes.html", "reference/index.html",
         "reference/steps/settle.html", "reference/topics/expressions.html",
         "reference/commands/state.html", "changelog.html"]
# What is looked for, and where it is treated.
FOUND = [("debounce", "debounce"), ("timezone", "topics/sources"), ("pagination", "sources/http"), ("oauth", "sources/http"),
         ("checksum", "topics/install"), ("uninstall", "topics/install"), ("port in use", "guarantees"),
         ("No space left", "guarantees"), ("macos", "topics/install"), ("arm64", "topics/install"), ("email", "sinks/notify")]
# Of the first page, with all it loads, compressed as a web server does.
MOST = 150_000


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def serve(folder):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}"


def compressed(body, kind):
    return len(body) if "image/webp" in kind else len(gzip.compress(body, 6))


def main():
    site = sys.argv[1]
    shots = sys.argv[sys.argv.index("--shots") + 1] if "--shots" in sys.argv else None
    origin = serve(site)
    passed, failed = 0, 0

    def check(name, action):
        nonlocal passed, failed
        try:
            action()
            passed += 1
            print(f"ok    {name}", flush=True)
        except Exception:
            failed += 1
            print(f"FAIL  {name}\n{traceback.format_exc()}", flush=True)

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])

        def opened(path, scheme="light", width=1280):
            context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 900})
            page = context.new_page()
            page.goto(f"{origin}/{path}", wait_until="networkidle")
            return page

        start = re.search(r'url=([^"]+)/index\.html', open(os.path.join(site, "index.html")).read())[1]

        def weight():
            context = browser.new_context(viewport={"width": 1280, "height": 900})
            page = context.new_page()
            sizes, others = {}, []

            def note(response):
                if not response.url.startswith((origin, "data:", "blob:")):
                    others.append(response.url)
                elif response.url.startswith(origin) and response.ok:
                    sizes[response.url[len(origin):]] = compressed(
                        response.body(), response.headers.get("content-type", ""))
            page.on("response", note)
            page.goto(f"{origin}/{start}/index.html", wait_until="networkidle")
            # What the search loads in its worker is asked of the page's own list, too.
            assert not others, others
            total = sum(sizes.values())
            assert total < MOST, f"{total} bytes: {sizes}"
            print(f"      {total // 1000} kB compressed, in {len(sizes)} requests")
        check("the first page is small, and asks no other server", weight)

        def root():
            page = opened("index.html")
            page.wait_for_url(f"**/{start}/index.html")
            assert "flow" in page.title()
        check("the address without a version leads to the newest", root)

        for words, target in FOUND:
            def finds():
                page = opened(f"{start}/index.html")
                page.keyboard.press("/")
                page.keyboard.type(words)
                page.wait_for_selector(f".md-search-result__link[href*='{target}']", state="attached", timeout=20_000)
                page.context.close()
            check(f"the search for “{words}” finds {target}, from the keyboard, without a server", finds)

        def lost():
            page = opened("404.html")
            page.route("**/nothing", lambda route: route.fulfill(status=404, path=os.path.join(site, "404.html")))
            page.goto(f"{origin}/docs/0.1.0/steps/nothing")
            assert page.locator("a").get_attribute("href") == "/docs/index.html", page.content()
            assert not [each for each in os.listdir(os.path.join(site, start)) if each.startswith(("404", "sitemap"))]
            page.context.close()
        check("a page that is not there leads to the first one, wherever the site is", lost)

        def fits():
            page = opened(f"{start}/index.html")
            wide = page.evaluate("(it => it.scrollWidth - it.clientWidth)(document.querySelector('pre > code'))")
            assert wide <= 0, f"{wide} px of the first block are hidden"
            page.context.close()
        check("the first block of code fits a window of 1280 px", fits)

        for path in PAGES:
            for scheme, width in [("light", 1280), ("dark", 1280), ("light", 390)]:
                def readable():
                    page = opened(f"{start}/{path}", scheme, width)
                    if shots:
                        name = path.replace("/", "-").replace(".html", "")
                        page.screenshot(path=f"{shots}/{name}-{scheme}-{width}.png")
                    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
                    assert wide <= 0, f"{wide} px too wide"
                    found = Axe().run(page).response["violations"]
                    serious = [(each["id"], len(each["nodes"]), each["nodes"][0]["html"][:200],
                                each["nodes"][0].get("failureSummary", "")[:300]) for each in found]
                    assert not serious, "\n".join(map(str, serious))
                    page.context.close()
                check(f"{path}, {scheme}, {width} px wide", readable)
        browser.close()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
