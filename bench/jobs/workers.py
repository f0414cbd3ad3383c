#!/usr/bin/env python3
"""Runs a cluster of ten workers over three servers: workers.py [--workers 10] [--records 20000] [--only PART] FLOW

Four pipelines with a partition into 16 each, from a stream of a server of their own to a stream there, on one machine: what
moves when a worker joins, leaves or dies, and how evenly tasks lie (balance); how long it takes until 200 assignments of
a dead worker run elsewhere (takeover); CPU of all workers, of one worker and of a single machine, also with partition_by, and
what is stored for an event (throughput). Skipped where there is no server (make setup-cluster).
"""
import argparse
import json
import os
import socket
import statistics
import subprocess
import tempfile
import time

from nats import SERVER, Server
from pipelines import say, target, targets

ENVIRONMENT = {"HOME": "/nonexistent", "PATH": "/usr/bin:/bin", "TZ": "UTC"}


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def cpu(pid):
    with open("/proc/%d/stat" % pid) as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def stored(folder):
    return sum(os.path.getsize(os.path.join(path, name)) for path, _, names in os.walk(folder) for name in names)


class Cluster:
    """Three servers, pipelines, and workers that come and go."""

    def __init__(self, folder, flow, files):
        self.folder, self.flow, self.files, self.workers, self.count = folder, flow, files, {}, 0
        ports = free_ports(6)
        routes = ", ".join('"nats://127.0.0.1:%d"' % port for port in ports[3:])
        self.servers = []
        for number in range(3):
            config = os.path.join(folder, "s%d.conf" % number)
            with open(config, "w") as file:
                file.write(
                    'listen: "127.0.0.1:%d"\nserver_name: s%d\njetstream { store_dir: "%s/s%d", sync_interval: always }\n'
                    'cluster { name: c, listen: "127.0.0.1:%d", routes: [%s] }\n'
                    % (ports[number], number, folder, number, ports[3 + number], routes))
            self.servers.append(subprocess.Popen([SERVER, "-c", config, "-l", config + ".log"]))
        self.urls = ",".join("nats://127.0.0.1:%d" % port for port in ports[:3])

    def join(self):
        self.count += 1
        place = os.path.join(self.folder, "w%d" % self.count)
        os.makedirs(place)
        with open(os.path.join(place, "err"), "w") as errors:
            process = subprocess.Popen(
                [self.flow, "run", "--cluster", self.urls, *self.files], cwd=place, stderr=errors,
                stdin=subprocess.DEVNULL, env=dict(ENVIRONMENT, XDG_STATE_HOME=os.path.join(place, "state")))
        self.workers[process.pid] = process
        return process

    def leave(self, process, kill=False):
        (process.kill if kill else process.terminate)()
        process.wait()
        del self.workers[process.pid]

    def owners(self):
        """The process of each assignment that runs."""
        done = subprocess.run(
            [self.flow, "cluster", "status", self.urls, "--json"], capture_output=True, text=True, env=ENVIRONMENT)
        if not done.stdout:
            return {}
        tasks = json.loads(done.stdout)["pipelines"]
        return {task["name"]: int(task["owner"].split("/")[1].split("-")[0]) for task in tasks if task["state"] == "running"}

    def settled(self, count, patience=300):
        """The owners once all assignments run on workers that are there, each on the same one for three seconds."""
        end = time.time() + patience
        before, since = None, time.time()
        while time.time() < end:
            owners = self.owners()
            if owners != before:
                before, since = owners, time.time()
            alive = len(owners) == count and set(owners.values()) <= set(self.workers)
            if alive and time.time() - since > 3:
                return owners
            time.sleep(0.3)
        raise SystemExit("%d of %d assignments run" % (len(before or {}), count))

    def stop(self):
        for process in list(self.workers.values()):
            self.leave(process, kill=True)
        for server in self.servers:
            server.kill()
            server.wait()


def write(folder, bus, pipelines, tasks, parts=False):
    files = []
    how = {"subject": "in.*", "partition_by": "token 2"} if parts else {}
    for number in range(pipelines):
        path = os.path.join(folder, "%s%d.yaml" % ("q" if parts else "p", number))
        with open(path, "w") as file:
            json.dump({
                "name": "%s%d" % ("q" if parts else "p", number),
                "sources": {"in": {"nats": {"stream": "IN", "servers": bus.url, "from": "beginning", **how}}},
                "steps": [
                    {"partition": {"by": ".k", "into": tasks}},
                    {"scan": {"key": ".k", "init": {"count": 0}, "update": "$event + { count: (.count + 1) }"}}],
                "sinks": {"out": {"nats": {"subject": "OUT", "servers": bus.url}}}}, file)
        files.append(path)
    return files


def spread(owners, workers):
    counts = [list(owners.values()).count(pid) for pid in workers]
    return "%d to %d, %.1f on average" % (min(counts), max(counts), statistics.mean(counts))


def balance(folder, bus, flow, options):
    cluster = Cluster(folder, flow, write(folder, bus, 4, 16))
    total = 4 * 17
    try:
        workers = [cluster.join() for _ in range(options.workers)]
        before = cluster.settled(total)
        say("  balance: %d assignments on %d workers: %s" % (total, options.workers, spread(before, cluster.workers)))
        for what in ("joins", "leaves", "dies"):
            start, gone = time.time(), None
            if what == "joins":
                cluster.join()
            else:
                gone = workers.pop()
                cluster.leave(gone, kill=what == "dies")
            after = cluster.settled(total)
            moved = sum(before[name] != after[name] for name in after)
            must = sum(owner == gone.pid for owner in before.values()) if gone else (
                sum(owner not in before.values() for owner in after.values()))
            say("  a worker %s: %d moved, %d had to, within %.1f s; %s" % (
                what, moved, must, time.time() - start - 3, spread(after, cluster.workers)))
            target("moved when a worker %s, beside what must" % what, moved - must, 0)
            before = after
    finally:
        cluster.stop()


def takeover(folder, bus, flow, options):
    cluster = Cluster(folder, flow, write(folder, bus, 25, 16))
    try:
        pair = [cluster.join(), cluster.join()]
        before = cluster.settled(25 * 17, 600)
        gone = pair[0]
        mine = [name for name, owner in before.items() if owner == gone.pid]
        start = time.time()
        cluster.leave(gone, kill=True)
        with open(os.path.join(folder, "w2", "err")) as errors:
            errors.seek(0, 2)
            first, last, count, text = None, None, 0, ""
            while count < len(mine) and time.time() - start < 300:
                new = errors.read().count(": taken over")
                if new:
                    first, last, count = first or time.time(), time.time(), count + new
                time.sleep(0.05)
        if count < len(mine):
            raise SystemExit("%d of %d were taken over" % (count, len(mine)))
        say("  takeover: %d assignments of a dead worker by one other: the first after %.1f s, the last after %.1f s" % (
            len(mine), first - start, last - start))
        target("takeover of %d assignments: seconds" % len(mine), last - start, 10)
    finally:
        cluster.stop()


def throughput(folder, bus, flow, options):
    files, parts = write(folder, bus, 4, 16), write(folder, bus, 4, 16, True)
    expected = 4 * options.records
    figures = {}
    for name, workers, files in (
            ("alone", 0, files), ("one worker", 1, files), ("one worker by parts", 1, parts),
            ("%d workers" % options.workers, options.workers, files),
            ("%d workers by parts" % options.workers, options.workers, parts)):
        place = os.path.join(folder, name.replace(" ", ""))
        os.makedirs(place)
        cluster = Cluster(place, flow, files)
        try:
            bus.stream("OUT")
            if workers:
                processes = [cluster.join() for _ in range(workers)]
            else:
                processes = [subprocess.Popen(
                    [flow, "run", "--quiet", *files], cwd=place, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                    env=dict(ENVIRONMENT, XDG_STATE_HOME=place))]
            start = time.time()
            while bus.count("OUT") < expected:
                if time.time() - start > 900:
                    raise SystemExit("%s: %d of %d" % (name, bus.count("OUT"), expected))
                time.sleep(0.2)
            wall = time.time() - start
            own = sum(cpu(process.pid) for process in processes)
            others = sum(cpu(server.pid) for server in cluster.servers)
            held = stored(os.path.join(place, "s0")) / expected
            figures[name] = own
            say("  throughput, %s: %.0f events a second, %.1f us of CPU an event, the servers' %.1f, %.0f bytes on each" % (
                name, expected / wall, 1e6 * own / expected, 1e6 * others / expected, held))
            if not workers:
                processes[0].kill()
                processes[0].wait()
        finally:
            cluster.stop()
    for name in ("one worker", "one worker by parts"):
        target("%s: CPU, of a single machine's" % name, figures[name] / figures["alone"], 2.5)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("flow")
    parser.add_argument("--workers", type=int, default=10)
    parser.add_argument("--records", type=int, default=20_000)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    if not os.path.exists(SERVER):
        return say("workers: skipped, since there is no nats-server; make setup-cluster installs it")
    say("workers: %d workers, %d records; load %.1f" % (options.workers, options.records, os.getloadavg()[0]))
    flow = os.path.abspath(options.flow)
    for part in (balance, takeover, throughput):
        if options.only not in ("", part.__name__):
            continue
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(os.path.join(folder, "bus"))
            bus = Server(os.path.join(folder, "bus"))
            try:
                bus.stream("IN", "in.*")
                bus.stream("OUT")
                if part == throughput:
                    events = [json.dumps({"k": number % 1000, "n": number, "x": "x" * 200}) for number in range(options.records)]
                    for begin in range(0, len(events), 1000):
                        rows = events[begin:begin + 1000]
                        bus.socket.sendall(b"".join(
                            b"PUB in.%d %d\r\n%s\r\n" % ((begin + place) % 1000, len(row), row.encode())
                            for place, row in enumerate(rows[:-1])))
                        bus.ask("in.%d" % ((begin + len(rows) - 1) % 1000), rows[-1])
                part(folder, bus, flow, options)
            finally:
                bus.stop()
    say("\ntargets; load %.1f:" % os.getloadavg()[0])
    say("\n".join(targets))


if __name__ == "__main__":
    main()
