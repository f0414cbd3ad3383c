#!/usr/bin/env python3
"""Measures many sources and many pipelines in one process: many.py [--sources 10000] [--pipelines 2000] [--quick] FLOW

Each source asks one of 20 servers on the loopback, which answer after 0.2 s, once a minute. First all of them are in a
few pipelines, then each is a pipeline of its own, with `changes` and a state: when the first status is answered, threads
and memory, requests per second, CPU per poll, how long a status and the end take. Last, what of it reaches its target.
With --quick a few of each are polled every three seconds, which only shows that all of it works.
"""
import argparse
import asyncio
import collections
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time

from pipelines import say, target, targets

SERVERS = 20
# A pipeline file has a limit of values.
PER_FILE = 5000


class Servers:
    """Servers in a thread of this process, and the requests that they have had in each second."""

    def __init__(self, period):
        self.seconds, self.period = collections.Counter(), period
        self.urls = []
        ready = threading.Event()

        async def answer(reader, writer):
            try:
                while await reader.readuntil(b"\r\n\r\n"):
                    self.seconds[int(time.monotonic())] += 1
                    await asyncio.sleep(0.2)
                    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n[{\"id\":123}]")
            except (asyncio.IncompleteReadError, ConnectionError):
                writer.close()

        async def serve():
            servers = [await asyncio.start_server(answer, "127.0.0.1", 0) for _ in range(SERVERS)]
            self.urls = ["http://127.0.0.1:%d" % server.sockets[0].getsockname()[1] for server in servers]
            ready.set()
            await asyncio.Event().wait()

        threading.Thread(target=lambda: asyncio.run(serve()), daemon=True).start()
        ready.wait()

    def source(self, number):
        return "{ http: { url: '%s/%d', cache: 0s }, every: %ds }" % (self.urls[number % SERVERS], number, self.period)


class Run:
    """A run of some files, and its process."""

    def __init__(self, flow, folder, files):
        self.flow, self.folder = flow, folder
        self.start = time.monotonic()
        self.process = subprocess.Popen([flow, "run", "--state", "state", "--quiet", *files], cwd=folder)
        while self.status() is None:
            if self.process.poll() is not None:
                sys.exit("flow run ended with %d" % self.process.returncode)
            time.sleep(0.05)
        self.started = time.monotonic() - self.start

    def status(self):
        """How long a status takes; None where it is not answered."""
        start = time.monotonic()
        asked = subprocess.run([self.flow, "status", "--state", "state", "--json"], cwd=self.folder, capture_output=True)
        return time.monotonic() - start if asked.returncode == 0 and b'"running"' in asked.stdout else None

    def field(self, name):
        with open("/proc/%d/status" % self.process.pid) as file:
            return next(int(line.split()[1]) for line in file if line.startswith(name + ":"))

    def cpu(self):
        with open("/proc/%d/stat" % self.process.pid) as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self):
        start = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        if self.process.wait() != 0:
            sys.exit("flow run ended with %d" % self.process.returncode)
        return time.monotonic() - start


def write(folder, texts):
    names = []
    for number, text in enumerate(texts):
        names.append("p%d.yaml" % number)
        with open(os.path.join(folder, names[-1]), "w") as file:
            file.write(text)
    return names


def measure(flow, servers, what, count, texts, most, seconds):
    """Runs the pipelines, and says what they take; `most` is the target for the memory of each, in KB."""
    with tempfile.TemporaryDirectory() as folder:
        run = Run(flow, folder, write(folder, texts))
        # The first polls are over after one period.
        time.sleep(max(0, servers.period + 2 - (time.monotonic() - run.start)))
        before, cpu = int(time.monotonic()), run.cpu()
        time.sleep(seconds)
        after, cpu = int(time.monotonic()), run.cpu() - cpu
        polls = [servers.seconds[second] for second in range(before + 1, after)]
        status = max(run.status() or 60 for _ in range(3))
        threads, size = run.field("Threads"), run.field("VmRSS")
        each = (size - 13 * 1024) / count
        busiest = max(polls) / (sum(polls) / len(polls))
        end = run.end()
    say("  %-18s first status %4.1f s   %2d threads   %4d MB, %3.0f KB each   %3.0f polls/s, at most %d   "
        "%.2f ms CPU a poll   status %.2f s   end %.1f s"
        % ("%d %s" % (count, what), run.started, threads, size / 1024, each, sum(polls) / len(polls), max(polls),
           cpu / sum(polls) * 1000, status, end))
    target("%d %s: seconds to the first status" % (count, what), run.started, 5 if what == "sources" else 10)
    target("%d %s: threads" % (count, what), threads, 64)
    target("%d %s: KB each" % (count, what), each, most)
    target("%d %s: busiest second, times the mean" % (count, what), busiest, 2)
    target("%d %s: seconds for a status" % (count, what), status, 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sources", type=int, default=10_000)
    parser.add_argument("--pipelines", type=int, default=2000)
    parser.add_argument("--seconds", type=int, default=65, help="how long polls are counted")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("flow")
    options = parser.parse_args()
    flow = os.path.abspath(options.flow)
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    # Five for each state, and two for each connection of this process.
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    if options.quick:
        options.sources, options.pipelines, options.seconds = 200, 50, 5
    servers = Servers(3 if options.quick else 60)
    say("many sources, many pipelines (%d servers, each poll 0.2 s, every %d s, for %d s)"
        % (SERVERS, servers.period, options.seconds))
    parts = [range(first, min(first + PER_FILE, options.sources)) for first in range(0, options.sources, PER_FILE)]
    texts = [
        "name: p%d\nsources:\n%ssteps: []\nsinks: { log: { jsonl: p%d.jsonl } }\n"
        % (number, "".join("  s%d: %s\n" % (source, servers.source(source)) for source in part), number)
        for number, part in enumerate(parts)]
    measure(flow, servers, "sources", options.sources, texts, 60, options.seconds)
    texts = [
        "name: p%d\nsources: { s: %s }\nsteps: [changes: { key: .id, first: emit }]\nsinks: { log: { jsonl: p%d.jsonl } }\n"
        % (number, servers.source(number), number)
        for number in range(options.pipelines)]
    # The goal is 150; a state has SQLite's statements and index, about 100.
    measure(flow, servers, "pipelines", options.pipelines, texts, 250, options.seconds)
    say()
    for line in targets:
        say(line)
    if not options.quick and any("MISSED" in line for line in targets):
        sys.exit(1)


if __name__ == "__main__":
    main()
