#!/usr/bin/env python3
"""Times a cluster of one worker beside a single machine: cluster.py [--records 100000] [--rounds 3] FLOW

The rows of job C through `changes` from a stream to a stream of a real server on the loopback (make setup-cluster): once
with state on this machine, once as the only worker of a cluster, which stores every epoch on the server first. The runs
take turns. The figure is the CPU time of flow; the server's is given beside it. Skipped where there is no server.
"""
import argparse
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

from nats import SERVER, Server
from pipelines import CHANGE, FOUR, say, target, targets
from processes import launches


def run(command, server, expected):
    """CPU seconds of flow and of the server, and the seconds until everything has come out; ended by SIGTERM."""
    others = server.cpu()
    start = time.perf_counter()
    process = subprocess.Popen(command)
    count, last = 0, time.perf_counter()
    while expected is None or count < expected:
        time.sleep(0.1)
        if process.poll() is not None:
            sys.exit("%s ended with %d" % (command, process.returncode))
        now = server.count("OUT")
        if now != count:
            count, last = now, time.perf_counter()
        # The first run says how many there are.
        if expected is None and count > 0 and time.perf_counter() - last > 3:
            break
        if time.perf_counter() - start > 600:
            sys.exit("%s has sent %d of %s" % (command, count, expected))
    wall = last - start
    process.send_signal(signal.SIGTERM)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit("%s ended with %d" % (command, process.returncode))
    return usage.ru_utime + usage.ru_stime, server.cpu() - others, wall, count


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("flow")
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    if not os.path.exists(SERVER):
        return say("cluster: skipped, since there is no nats-server; make setup-cluster installs it")
    say("cluster: %d rows, %d rounds, medians; load %.1f" % (options.records, options.rounds, os.getloadavg()[0]))
    flow = os.path.abspath(options.flow)
    with tempfile.TemporaryDirectory() as folder:
        server = Server(folder)
        try:
            measure(flow, server, folder, options)
        finally:
            server.stop()
    say("\ntargets; load %.1f:" % os.getloadavg()[0])
    say("\n".join(targets))


def measure(flow, server, folder, options):
    server.stream("IN")
    with open(launches(options.records), "rb") as file:
        rows = file.read().splitlines()
    for start in range(0, len(rows), 1000):
        part = rows[start:start + 1000]
        server.socket.sendall(b"".join(b"PUB IN %d\r\n%s\r\n" % (len(row), row) for row in part[:-1]))
        server.ask("IN", part[-1].decode())
    path = os.path.join(folder, "c.yaml")
    with open(path, "w") as file:
        json.dump({
            "name": "c", "sources": {"in": {"nats": {"stream": "IN", "servers": server.url}}},
            "steps": [FOUR, {"changes": {"key": ".id", "types": ["changed"]}}, CHANGE],
            "sinks": {"out": {"nats": {"subject": "OUT", "servers": server.url}}}}, file)
    state = os.path.join(folder, "state")
    cases = {"alone": [], "cluster": ["--cluster", server.url]}
    runs = {name: [] for name in cases}
    expected = None
    for _ in range(options.rounds):
        for name, more in cases.items():
            shutil.rmtree(state, ignore_errors=True)
            server.stream("OUT")
            # A log that another run has left would be continued.
            for stream in ("FLOW_PACKS", "FLOW_SHARED", "FLOW_WORKERS", "FLOW_LOG"):
                server.ask("$JS.API.STREAM.DELETE." + stream)
            result = run([flow, "run", "--quiet", "--state", state, *more, path], server, expected)
            expected = expected or result[3]
            runs[name].append(result)
    for name, results in runs.items():
        own, others, wall, _ = (statistics.median(column) for column in zip(*results))
        say("  %-8s %5.2f s of CPU (%.1f us a row), the server's %.2f s; %.2f s" % (
            name, own, 1e6 * own / options.records, others, wall))
    say("  %d changes of %d rows" % (expected, options.records))
    ratio = statistics.median(b[0] / a[0] for a, b in zip(runs["alone"], runs["cluster"]))
    target("a cluster of one worker: CPU, of a single machine's", ratio, 1.6)


if __name__ == "__main__":
    main()
