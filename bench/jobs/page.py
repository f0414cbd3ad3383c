#!/usr/bin/env python3
"""Measures the live page of a run in a whole process: page.py [--records 250000] [--rounds 3] FLOW

How long a page of 1,000 rows takes, how much memory the page and its streams of updates take, whether a run without
viewers wakes up, and what ten viewers cost a pipeline. Everything over the loopback, read with raw sockets.
"""
import argparse
import http.client
import os
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

from pipelines import say, target, targets
from processes import launches, timed

IDLE = """
name: idle
sources: { rows: { generate: 'range(1000) | { id: ., name: "launch \\(.)", net: "2026-11-21T12:00:00Z", status: "Go" }', every: 1h } }
sinks:
  page: { page: { as: table, key: .id, title: '\\(.name)', time: .net, status: .status, detail: { Name: .name, Status: .status }, per_page: 1000 } }
"""
BUSY = """
name: busy
sources: { rows: { file: %s } }
steps: [map: { id: .id, name: .name, net: .net, status: .status.abbrev }]
sinks:
  log: { jsonl: %s }
  page: { page: { key: '.id', title: '\\(.name)', time: .net } }
"""


class Flow:
    """A run with a page; its address is what it prints."""

    def __init__(self, flow, folder, text, *options):
        path = os.path.join(folder, "p.yaml")
        with open(path, "w") as file:
            file.write(text)
        self.process = subprocess.Popen([flow, "run", *options, path], cwd=folder, stderr=subprocess.PIPE, text=True,
                                        env={**os.environ, "XDG_STATE_HOME": folder})
        self.streams = []
        if options:
            line = next(line for line in self.process.stderr if "page: http" in line)
            self.port = int(line.rsplit(":", 1)[1].rstrip("/\n"))

    def request(self, path):
        stream = socket.create_connection(("127.0.0.1", self.port))
        stream.sendall(b"GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n" % path.encode())
        return stream

    def page(self, path):
        """Milliseconds to the first byte, and to the last; the length."""
        start = time.perf_counter()
        with self.request(path) as stream:
            first, length = None, 0
            while chunk := stream.recv(1 << 16):
                first = first or time.perf_counter()
                length += len(chunk)
        return (first - start) * 1e3, (time.perf_counter() - start) * 1e3, length

    def commit(self, path):
        """The commit that a page shows."""
        with self.request(path) as stream, stream.makefile("rb") as file:
            return file.read().split(b'data-commit="')[1].split(b'"')[0].decode()

    def watch(self, path):
        """A viewer: a stream of updates that is read as it comes."""
        stream = self.request(path)
        self.streams.append(stream)

        def read():
            try:
                while stream.recv(1 << 16):
                    pass
            except OSError:
                pass
        threading.Thread(target=read, daemon=True).start()

    def status(self, field):
        with open("/proc/%d/status" % self.process.pid) as file:
            return int(next(line for line in file if line.startswith(field)).split()[1])

    def switches(self):
        """How often threads have gone to sleep."""
        total = 0
        for thread in os.listdir("/proc/%d/task" % self.process.pid):
            with open("/proc/%d/task/%s/status" % (self.process.pid, thread)) as file:
                total += int(next(line for line in file if line.startswith("voluntary")).split()[1])
        return total

    def end(self):
        for stream in self.streams:
            stream.close()
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(20)


def idle(flow, rounds):
    with tempfile.TemporaryDirectory() as folder:
        run = Flow(flow, folder, IDLE, "--page=127.0.0.1:0")
        while run.page("/v/idle/page")[2] < 100_000:
            time.sleep(0.1)
        times = [run.page("/v/idle/page") for _ in range(5 + 10 * rounds)][5:]
        first, last = (statistics.median(column) for column in list(zip(*times))[:2])
        say("a page of 1,000 rows, %.0f kB" % (times[0][2] / 1e3))
        target("ms to the first byte", first, 10)
        target("ms to the last", last, 30)
        # What is set for a while after the start and the last request: unmapping code, closing connections.
        time.sleep(12)
        before = run.switches()
        time.sleep(5)
        target("wake-ups in 5 s without viewers", run.switches() - before, 0)
        target("MB of memory without viewers", run.status("VmRSS") / 1e3, 15)
        # As the page's script does, a tab names the commit that it shows.
        live = "/live/idle/page?since=" + run.commit("/v/idle/page")
        for _ in range(100):
            run.watch(live)
        time.sleep(3)
        target("MB with 100 streams", run.status("VmRSS") / 1e3, 25)
        for _ in range(400):
            run.watch(live)
        time.sleep(3)
        say("  with 500 streams %.1f MB" % (run.status("VmRSS") / 1e3))
        memory = run.status("VmRSS")
        connection = http.client.HTTPConnection("127.0.0.1", run.port)
        start = time.perf_counter()
        for _ in range(10_000):
            connection.request("GET", "/")
            answer = connection.getresponse()
            if answer.status != 200 or not answer.read():
                sys.exit("a request was answered with %d" % answer.status)
        seconds = time.perf_counter() - start
        say("10,000 requests on one connection: %.1f s" % seconds)
        target("MB more after 10,000 requests", (run.status("VmRSS") - memory) / 1e3, 1)
        connection.close()
        run.end()


def busy(flow, records, rounds):
    """The wall time of a whole file through a pipeline with a view: without the page, with it, with ten viewers."""
    path = launches(records)
    times = {"without": [], "page": [], "viewers": []}
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.jsonl")

        def size():
            return os.path.getsize(out) if os.path.exists(out) else 0

        text = BUSY % (path, out)
        whole = None
        for round in range(rounds + 1):
            for name in times:
                # Each begins without state.
                for file in os.listdir(folder):
                    shutil.rmtree(os.path.join(folder, file), ignore_errors=True)
                if os.path.exists(out):
                    os.remove(out)
                start = time.perf_counter()
                run = Flow(flow, folder, text, *([] if name == "without" else ["--page=127.0.0.1:0"]))
                if name == "viewers":
                    for _ in range(10):
                        run.watch("/live/busy/page")
                if whole is None:
                    run.process.wait()
                    whole = size()
                while size() < whole:
                    time.sleep(0.002)
                # The first round warms up.
                if round > 0:
                    times[name].append(time.perf_counter() - start)
                run.end()
    medians = {name: statistics.median(values) for name, values in times.items()}
    say("%d rows through a view: %.2f s, with the page %.2f s, with ten viewers %.2f s"
        % (records, medians["without"], medians["page"], medians["viewers"]))
    target("throughput with the page, of that without", medians["without"] / medians["page"], 0.95, least=True)
    target("throughput with ten viewers", medians["without"] / medians["viewers"], 0.9, least=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("flow")
    parser.add_argument("--records", type=int, default=250_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    flow = os.path.abspath(options.flow)
    idle(flow, options.rounds)
    busy(flow, options.records, options.rounds)
    for line in targets:
        say(line)


if __name__ == "__main__":
    main()
