#!/usr/bin/env python3
"""Compares pages behind scripts: browser.py [--pages 40] [--rounds 1] FLOW

The same pages, each of which fetches its rows from a server on the loopback, read by flow (`browser: { wait: { for: .item } }`,
four at once) and by Playwright (make setup-page, run by its Python) with a browser for each page, as webchanges starts one for
each job. The figures are pages a minute, CPU seconds of all processes and the most memory that they have had (PSS) at once.
"""
import argparse
import http.server
import os
import subprocess
import sys
import tempfile
import threading
import time

PAGE = """<!DOCTYPE html><title>Shop</title><div id=app></div><script>
fetch('/api' + location.pathname).then(it => it.json()).then(all => { app.innerHTML = all.map(it =>
  `<p class=item><b>${it.name}</b><i>${it.price}</i></p>`).join('') })
</script>"""
ROWS = "[" + ",".join('{"name":"item %d","price":%d}' % (i, i) for i in range(200)) + "]"

SCRIPT = """
import sys
from playwright.sync_api import sync_playwright
with sync_playwright() as it:
    for number in range(int(sys.argv[2])):
        browser = it.chromium.launch(executable_path="/usr/bin/chromium")
        page = browser.new_page()
        page.goto("%s/p%d" % (sys.argv[1], number))
        page.wait_for_selector(".item")
        assert page.content().count("class=\\"item\\"") == 200
        browser.close()
"""


class Shop(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        body, kind = (ROWS, "application/json") if self.path.startswith("/api/") else (PAGE, "text/html")
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *arguments):
        pass


class Watch:
    """CPU seconds and memory of a process and all that it starts, which have a variable in their environment."""

    def __init__(self, mark):
        self.mark, self.cpu, self.most, self.isOver = mark.encode(), {}, 0, False
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def look(self):
        memory = 0
        for name in os.listdir("/proc"):
            if not name.isdigit():
                continue
            try:
                if name not in self.cpu and self.mark not in open("/proc/%s/environ" % name, "rb").read():
                    continue
                words = open("/proc/%s/stat" % name).read().rsplit(")", 1)[1].split()
                self.cpu[name] = (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
                for line in open("/proc/%s/smaps_rollup" % name):
                    if line.startswith("Pss:"):
                        memory += int(line.split()[1])
            except (OSError, IndexError):
                continue
        self.most = max(self.most, memory)

    def run(self):
        while not self.isOver:
            self.look()
            time.sleep(0.1)

    def end(self):
        self.isOver = True
        self.thread.join()
        return sum(self.cpu.values()), self.most / 1024


def timed(name, command, folder, pages):
    own = tempfile.mkdtemp(prefix=name, dir=folder)
    watch = Watch("TMPDIR=" + own)
    start = time.monotonic()
    try:
        subprocess.run(command, cwd=folder, env=dict(os.environ, TMPDIR=own), check=True, stdout=subprocess.DEVNULL)
    finally:
        wall = time.monotonic() - start
        cpu, memory = watch.end()
    print("%-12s %6.1f pages a minute, %6.2f CPU s a page, %5.0f MB at most" % (name, pages / wall * 60, cpu / pages, memory))
    sys.stdout.flush()


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--pages", type=int, default=40)
parser.add_argument("--rounds", type=int, default=1)
parser.add_argument("flow")
arguments = parser.parse_args()
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Shop)
threading.Thread(target=server.serve_forever, daemon=True).start()
url = "http://127.0.0.1:%d" % server.server_port
with tempfile.TemporaryDirectory() as folder:
    with open(os.path.join(folder, "p.yaml"), "w") as file:
        file.write(
            "sources:\n  shop:\n    http: { url: '%s/p\\(.)', each: [%s], concurrency: 4, browser: { wait: { for: .item } }, "
            "decode: { html: { select: .item, fields: { name: b, price: i } } } }\n    every: 1h\nsinks: { out: { jsonl: out.jsonl } }\n"
            % (url, ", ".join(map(str, range(arguments.pages)))))
    with open(os.path.join(folder, "config.yaml"), "w") as file:
        file.write("browser: { sandbox: %s }\n" % ("off" if os.geteuid() == 0 else "on"))
    with open(os.path.join(folder, "script.py"), "w") as file:
        file.write(SCRIPT)
    for _ in range(arguments.rounds):
        out = os.path.join(folder, "out.jsonl")
        if os.path.exists(out):
            os.remove(out)
        timed("flow", [os.path.abspath(arguments.flow), "run", "p.yaml", "--once", "--no-state"], folder, arguments.pages)
        assert sum(1 for _ in open(out)) == 200 * arguments.pages
        timed("playwright", [sys.executable, "script.py", url, str(arguments.pages)], folder, arguments.pages)
