#!/usr/bin/env python3
"""Times the `nats` source and sink in whole processes: nats.py [--records 250000] [--rounds 3] FLOW

Events of 200 bytes through a real server on the loopback (make setup-cluster): a stream whose events are counted, and a file
published to a stream, each with state and without. The figure is events per second of CPU time of flow; the server's CPU
time is given beside it. Skipped where there is no server.
"""
import argparse
import glob
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

from pipelines import say, target, targets
from processes import HERE, timed

SERVER = os.path.join(HERE, "..", "..", ".build", "nats", "nats-server")


def event(number):
    """200 bytes of JSON."""
    text = '{"id":%d,"name":"launch %d","net":"2026-11-21T12:00:00Z","status":"Go","note":"' % (number, number)
    return text + "x" * (198 - len(text)) + '"}'


class Server:
    """nats-server on a port of its choice, and as much of its protocol as making a stream and filling it needs."""

    def __init__(self, folder):
        config = os.path.join(folder, "server.conf")
        with open(config, "w") as file:
            file.write('listen: "127.0.0.1:-1"\nports_file_dir: "%s"\njetstream { store_dir: "%s/js" }\n' % (folder, folder))
        self.process = subprocess.Popen([SERVER, "-c", config, "-l", os.path.join(folder, "log")])
        ports = []
        while not ports:
            time.sleep(0.1)
            ports = [path for path in glob.glob(os.path.join(folder, "*.ports")) if os.path.getsize(path)]
        with open(ports[0]) as file:
            self.url = json.load(file)["nats"][0]
        host, port = self.url.split("//")[1].split(":")
        self.socket = socket.create_connection((host, int(port)))
        self.lines = self.socket.makefile("rb")
        self.lines.readline()
        self.socket.sendall(b'CONNECT {"verbose":false}\r\nSUB answer 1\r\n')

    def ask(self, subject, text=""):
        data = text.encode()
        self.socket.sendall(b"PUB %s answer %d\r\n%s\r\n" % (subject.encode(), len(data), data))
        while True:
            words = self.lines.readline().split()
            if words[0] == b"PING":
                self.socket.sendall(b"PONG\r\n")
            if words[0] == b"MSG":
                return json.loads(self.lines.read(int(words[-1]) + 2))

    def stream(self, name, subject=None):
        self.ask("$JS.API.STREAM.DELETE." + name)
        self.ask("$JS.API.STREAM.CREATE." + name, json.dumps({"name": name, "subjects": [subject or name], "allow_direct": True}))

    def fill(self, name, events):
        for start in range(0, len(events), 1000):
            part = events[start:start + 1000]
            self.socket.sendall(b"".join(b"PUB %s 200\r\n%s\r\n" % (name.encode(), one.encode()) for one in part[:-1]))
            self.ask(name, part[-1])

    def count(self, name):
        return self.ask("$JS.API.STREAM.INFO." + name)["state"]["messages"]

    def cpu(self):
        with open("/proc/%d/stat" % self.process.pid) as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self):
        self.process.kill()
        self.process.wait()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("flow")
    parser.add_argument("--records", type=int, default=250_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    if not os.path.exists(SERVER):
        return say("nats: skipped, since there is no nats-server; make setup-cluster installs it")
    say("nats: %d events of 200 bytes, %d rounds, medians; load %.1f" % (options.records, options.rounds, os.getloadavg()[0]))
    flow = os.path.abspath(options.flow)
    with tempfile.TemporaryDirectory() as folder:
        server = Server(folder)
        try:
            measure(flow, server, folder, options)
        finally:
            server.stop()
    say("\ntargets, meant for 250000 records and several rounds; load %.1f:" % os.getloadavg()[0])
    say("\n".join(targets))


def measure(flow, server, folder, options):
    events = [event(number) for number in range(options.records)]
    lines, state = os.path.join(folder, "in.jsonl"), os.path.join(folder, "state")
    with open(lines, "w") as file:
        file.writelines(one + "\n" for one in events)
    server.stream("IN")
    server.fill("IN", events)
    cases = [("source", {"nats": {"stream": "IN", "servers": server.url}}, {"count": {}}),
             ("sink", {"file": lines}, {"nats": {"subject": "OUT", "servers": server.url}})]
    for name, source, sink in cases:
        path = os.path.join(folder, name + ".yaml")
        with open(path, "w") as file:
            json.dump({"sources": {"in": source}, "steps": [], "sinks": {"out": sink}}, file)
        for what, kept in (("without state", ["--no-state"]), ("with state", ["--state", state])):
            own, others, walls = [], [], []
            for _ in range(options.rounds):
                shutil.rmtree(state, ignore_errors=True)
                server.stream("OUT")
                before = server.cpu()
                with open(os.path.join(folder, "printed"), "w") as printed:
                    run = timed([flow, "run", "--once", "--quiet", *kept, path], printed)
                own.append(run.cpu)
                others.append(server.cpu() - before)
                walls.append(run.wall)
                with open(os.path.join(folder, "printed")) as printed:
                    found = server.count("OUT") if name == "sink" else json.load(printed)["count"]
                if found != options.records:
                    sys.exit("%s: %d of %d events arrived" % (name, found, options.records))
            rate = options.records / statistics.median(own)
            say("  %-6s %-14s %8.0f events per CPU second (%.2f us each), %.0f per second; server %.2f us each" % (
                name, what, rate, 1e6 / rate, options.records / statistics.median(walls),
                1e6 * statistics.median(others) / options.records))
            if not kept[0] == "--state":
                target("nats %s: thousand events per CPU second" % name, rate / 1000, 150, least=True)


if __name__ == "__main__":
    main()
