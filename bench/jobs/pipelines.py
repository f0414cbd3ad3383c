#!/usr/bin/env python3
"""Times pipelines as whole processes: pipelines.py [--records 250000] [--rounds 3] FLOW

The four jobs of run.py as files that `flow run` is given, from a file to a file, beside `flow eval`, the Python loop with
orjson and, where they are installed, DuckDB, Polars, RxPY and Bytewax. The processes take turns; every run must write
the same number of lines. Then how B and C grow, a pipeline that waits, starting, and a year in virtual time. Last, what
of it reaches its target.
"""
import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time

from processes import HERE, launches, timed, version
from run import PROGRAMS

GO = {"filter": '.status.abbrev == "Go"'}
SIX = {"map": {"id": ".id", "name": ".name", "net": ".net", "status": ".status.abbrev",
               "provider": ".launch_service_provider.name", "location": ".pad.location.name"}}
FOUR = {"map": {"id": ".id", "name": ".name", "net": ".net", "status": ".status.abbrev"}}
CHANGE = {"map": {"id": ".key", "before": ".before", "after": ".after"}}
PEERS = ["duckdb", "polars", "reactivex", "bytewax"]
targets = []


def say(text=""):
    print(text, flush=True)


def target(what, value, bound, least=False):
    """One line for the end: whether a value is at most its bound, or at least."""
    reached = value >= bound if least else value <= bound
    targets.append("  %-7s %-56s %8.2f   %s %g" % ("reached" if reached else "MISSED", what, value,
                                                  "at least" if least else "at most", bound))


def jobs(flow):
    """The steps of each job; an older changes tells of all kinds."""
    docs = subprocess.run([flow, "docs", "changes"], stdout=subprocess.PIPE, text=True, check=True).stdout
    if "types" in docs:
        changes = [{"changes": {"key": ".id", "types": ["changed"]}}]
    else:
        changes = [{"changes": {"key": ".id"}}, {"filter": '.type == "changed"'}]
    return {"A": [GO, SIX], "B": [GO, SIX, {"dedupe": ".id"}], "C": [FOUR, *changes, CHANGE], "D": []}


def watching(steps):
    """The steps with a `changes` that looks at two fields, the only ones that change in the file of launches."""
    return [{"changes": step["changes"] | {"watch": [".net", ".status"]}} if "changes" in step else step for step in steps]


def lines_in(path):
    with open(path, "rb") as file:
        return sum(chunk.count(b"\n") for chunk in iter(lambda: file.read(1 << 18), b""))


class Results:
    """The runs of one contender: medians, the highest peak, and the medians of what others took of it round by round."""

    def __init__(self, runs, lines):
        self.runs, self.lines = runs, lines

    def cpu(self):
        return statistics.median(run.cpu for run in self.runs)

    def wall(self):
        return statistics.median(run.wall for run in self.runs)

    def peak(self):
        return max(run.megabytes for run in self.runs)

    def times_cpu(self, other):
        return statistics.median(theirs.cpu / run.cpu for run, theirs in zip(self.runs, other.runs))

    def times_wall(self, other):
        return statistics.median(theirs.wall / run.wall for run, theirs in zip(self.runs, other.runs))


def agree(results, label):
    counts = {name: result.lines for name, result in results.items()}
    if len(set(counts.values())) > 1:
        sys.exit("%s: not the same number of lines: %s" % (label, counts))


class Bench:
    def __init__(self, flow, folder):
        self.flow, self.folder, self.out = os.path.abspath(flow), folder, os.path.join(folder, "out.jsonl")
        self.jobs = jobs(self.flow)

    def pipeline(self, name, source, steps, out=None):
        """The command that runs a pipeline; JSON is YAML."""
        path = os.path.join(self.folder, name + ".yaml")
        with open(path, "w") as file:
            json.dump({"sources": {"input": source}, "steps": steps, "sinks": {"output": {"jsonl": out or self.out}}}, file)
        return [self.flow, "run", "--quiet", "--no-state", path]

    def run(self, command):
        """One run, and how many lines are in the output then: what it printed or what it wrote itself."""
        with open(self.out, "wb") as out:
            return timed(command, out), lines_in(self.out)

    def compete(self, contenders, rounds):
        """Runs commands in turn; by name, their runs and the number of lines."""
        results = {name: Results([], 0) for name in contenders}
        for number in range(rounds):
            for name, command in contenders.items():
                run, lines = self.run(command)
                if number > 0 and lines != results[name].lines:
                    sys.exit("%s: %d lines, and %d another time" % (name, lines, results[name].lines))
                results[name] = Results(results[name].runs + [run], lines)
        return results

    def loop(self, job, path):
        return [sys.executable, os.path.join(HERE, "loop.py"), job, path]

    def four_jobs(self, path, rounds, installed):
        size = os.path.getsize(path) / 1e6
        for job, steps in self.jobs.items():
            contenders = {"flow run": self.pipeline(job, {"file": path}, steps),
                          "flow eval": [self.flow, "eval", *PROGRAMS[job], path]}
            if job == "C":
                contenders["with watch"] = self.pipeline("watch", {"file": path}, watching(steps))
            if "orjson" in installed:
                contenders["orjson loop"] = self.loop(job, path)
            for peer in PEERS:
                if peer in installed:
                    contenders[peer] = [sys.executable, os.path.join(HERE, "peers.py"), peer, job, path, self.out]
            results = self.compete(contenders, rounds)
            agree(results, "job " + job)
            own = results["flow run"]
            say("\n%s  (%d lines out)" % (job, own.lines))
            for name, of in results.items():
                times = "" if of is own else "   %5.2f CPU, %5.2f wall" % (own.times_cpu(of), own.times_wall(of))
                say("  %-12s %7.2f s CPU %7.2f s wall %6.0f MB/s %6.0f MB%s"
                    % (name, of.cpu(), of.wall(), size / max(of.cpu(), 1e-9), of.peak(), times))
            if job in "AD":
                target(job + ": throughput of flow eval, CPU", own.times_cpu(results["flow eval"]), 0.85, least=True)
                target(job + ": throughput of flow eval, wall", own.times_wall(results["flow eval"]), 0.85, least=True)
            if job == "A" and "duckdb" in results:
                target("A: times as much as duckdb in a CPU second", own.times_cpu(results["duckdb"]), 1.5, least=True)
            if job == "B" and "orjson loop" in results:
                target("B: times as much as the loop in a CPU second", own.times_cpu(results["orjson loop"]), 2, least=True)
            for name, peer, bound in [("flow run", "orjson loop", 2.5), ("with watch", "orjson loop", 2.5),
                                      ("flow run", "duckdb", 1.1), ("with watch", "duckdb", 1.1)] if job == "C" else []:
                if peer in results:
                    target("C, %s: times %s in a CPU second" % (name, peer), results[name].times_cpu(results[peer]),
                           bound, least=True)

    def growth(self, sizes, rounds, installed):
        say("\ngrowth: CPU time a record without starting, peak; %s records" % " and ".join(map(str, sizes)))
        for job in "BC":
            contenders = {}
            for size in [0, *sizes]:
                path = launches(size)
                contenders["flow run", size] = self.pipeline("%s%d" % (job, size), {"file": path}, self.jobs[job])
                if "orjson" in installed:
                    contenders["orjson loop", size] = self.loop(job, path)
            results = self.compete(contenders, rounds)
            for size in sizes:
                agree({key: of for key, of in results.items() if key[1] == size}, "job %s, %d records" % (job, size))
            for name in ["flow run", "orjson loop"] if "orjson" in installed else ["flow run"]:
                start = results[name, 0].cpu()
                each = [1e9 * (results[name, size].cpu() - start) / size for size in sizes]
                peaks = [results[name, size].peak() for size in sizes]
                say("  %s  %-12s %s   %.2f times" % (job, name, "   ".join("%6.0f ns, %4.0f MB" % one for one in zip(each, peaks)),
                                                     each[-1] / each[0] if each[0] else 0))
            if job == "C":
                target("C: peak MB at %d records" % sizes[-1], results["flow run", sizes[-1]].peak(), 150)

    def idle(self, settle, watch):
        open(self.out, "wb").close()
        process = subprocess.Popen(self.pipeline("idle", {"generate": "{n: $meta.poll}", "every": "6h", "at_start": True}, []))
        time.sleep(settle)
        resident, before = status(process.pid, "VmRSS:") / 1024, switches(process.pid)
        anonymous = status(process.pid, "RssAnon:") / 1024
        time.sleep(watch)
        woken = sum(count - before.get(thread, 0) for thread, count in switches(process.pid).items())
        process.send_signal(signal.SIGTERM)
        if process.wait() != 0 or lines_in(self.out) != 1:
            sys.exit("the pipeline that waits did not end as it should")
        say("\nwaiting for a poll in six hours, after %g s: %.1f MB resident (%.1f MB its own), %d wake-ups in %g s"
            % (settle, resident, anonymous, woken, watch))
        target("waiting: MB resident", resident, 15)
        target("waiting: wake-ups", woken, 0)

    def latency(self, count):
        """From a line in a followed file to its line in the output, one at a time."""
        path = os.path.join(self.folder, "followed.jsonl")
        open(path, "wb").close()
        open(self.out, "wb").close()
        process = subprocess.Popen(self.pipeline("latency", {"file": {"path": path, "follow": True}}, self.jobs["A"]))
        line = json.dumps({"id": 1, "status": {"abbrev": "Go"}}).encode() + b"\n"
        taken = []
        with open(path, "ab", buffering=0) as file:
            # The first ones wait for the start.
            for number in range(10 + count):
                size = os.stat(self.out).st_size
                start = time.perf_counter()
                file.write(line)
                while os.stat(self.out).st_size == size:
                    if time.perf_counter() - start > 10:
                        sys.exit("the line that was appended has not come out")
                    time.sleep(0.0001)
                taken.append(1000 * (time.perf_counter() - start))
                time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        if process.wait() != 0 or lines_in(self.out) != len(taken):
            sys.exit("the pipeline that follows did not end as it should")
        taken = sorted(taken[10:])
        p50, p99 = taken[len(taken) // 2], taken[len(taken) * 99 // 100]
        say("\nfrom a followed file to the output, %d lines one by one: p50 %.2f ms, p99 %.2f ms" % (count, p50, p99))
        target("following: milliseconds to the output, p50", p50, 2)

    def all_changes(self, versions, rounds, installed):
        """Rows of 2000 leaves, all of which change each time: what differences cost."""
        import random
        rng = random.Random(3)
        path = os.path.join(self.folder, "wide.jsonl")
        with open(path, "w") as file:
            for _ in range(versions + 1):
                for key in range(20):
                    row = {"id": key}
                    for group in range(20):
                        row["group%d" % group] = {"field%d" % field: rng.randrange(10**6) if field % 2
                                                  else "text %d" % rng.randrange(10**6) for field in range(100)}
                    file.write(json.dumps(row, separators=(",", ":")) + "\n")
        contenders = {"flow run": self.pipeline("E", {"file": path}, [{"changes": {"key": ".id", "types": ["changed"]}}])}
        if "orjson" in installed:
            contenders["orjson loop"] = self.loop("E", path)
        results = self.compete(contenders, rounds)
        agree(results, "job E")
        own = results["flow run"]
        say("\nE, %d rows of 2000 leaves that all change (%.0f MB)" % (own.lines, os.path.getsize(path) / 1e6))
        for name, of in results.items():
            times = "" if of is own else "   %5.2f CPU, %5.2f wall" % (own.times_cpu(of), own.times_wall(of))
            say("  %-12s %7.2f s CPU %7.2f s wall %6.0f MB%s" % (name, of.cpu(), of.wall(), of.peak(), times))
        if "orjson" in installed:
            target("E: times as much as the loop in a CPU second", own.times_cpu(results["orjson loop"]), 2, least=True)

    def start(self):
        empty = launches(0)
        commands = {"flow run": self.pipeline("start", {"file": empty}, self.jobs["C"]),
                    "flow eval": [self.flow, "eval", *PROGRAMS["C"], empty]}
        runs = {name: [] for name in commands}
        for _ in range(15):
            for name, command in commands.items():
                runs[name].append(timed(command, subprocess.DEVNULL))
        say("\nstart, on an empty file (median of 15): " + ", ".join(
            "%s %.1f ms wall, %.1f ms CPU" % (name, 1000 * statistics.median(run.wall for run in of),
                                             1000 * statistics.median(run.cpu for run in of)) for name, of in runs.items()))

    def year(self, rounds):
        path, polls = os.path.join(self.folder, "year.jsonl"), 4 * 365
        record_year(path, polls)
        command = self.pipeline("year", {"replay": path}, [{"changes": ".id"}, {"debounce": {"key": ".key", "for": "8h"}}])
        of = self.compete({"a year": command}, rounds)["a year"]
        say("\na year of polls, %d of 40 rows (%.0f MB), changes and debounce: %.2f s CPU, %.2f s wall, %.0f MB, %d lines"
            % (polls, os.path.getsize(path) / 1e6, of.cpu(), of.wall(), of.peak(), of.lines))
        target("a year in virtual time: CPU seconds", of.cpu(), 1)


def status(pid, *names):
    """The sum of some numbers of a process's or thread's status."""
    with open("/proc/%s/status" % pid) as lines:
        return sum(int(line.split()[1]) for line in lines if line.startswith(names))


def switches(pid):
    """How often each thread of a process has been switched to and fro."""
    return {thread: status("%d/task/%s" % (pid, thread), "voluntary_ctxt", "nonvoluntary_ctxt")
            for thread in os.listdir("/proc/%d/task" % pid)}


def record_year(path, polls):
    """Forty launches; between two polls each may get another date or status, and now and then one gives way to another."""
    import random
    from launches import launch, moment, status as state
    rng = random.Random(11)
    rows = [launch(rng, number) for number in range(40)]
    with open(path, "w") as file:
        for poll in range(polls):
            at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(1767225600 + 6 * 3600 * poll))
            file.write(json.dumps({"at": at, "rows": rows}, ensure_ascii=False, separators=(",", ":")) + "\n")
            for index, row in enumerate(rows):
                draw = rng.random()
                if draw < 0.02:
                    row["net"] = moment(rng)
                elif draw < 0.03:
                    row["status"] = state(rng)
                elif draw < 0.033:
                    rows[index] = launch(rng, index)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("flow")
    parser.add_argument("--records", type=int, default=250_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--file", help="measure the jobs on this file instead of a generated one")
    options = parser.parse_args()
    path = options.file or launches(options.records)
    say("pipelines: %.0f MB, %d rounds in turn; medians of CPU (all threads) and wall seconds, peak MB; "
        "on the right, times flow run (median of the rounds)"
        % (os.path.getsize(path) / 1e6, options.rounds))
    versions = {package: version(package) for package in ["orjson", *PEERS]}
    for package, found in versions.items():
        say("  %s %s" % (package, found) if found else "  no %s here to compare with (pip install %s)" % (package, package))
    installed = [package for package, found in versions.items() if found and versions["orjson"]]
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options.flow, folder)
        bench.four_jobs(path, options.rounds, installed)
        if not options.file:
            bench.growth([options.records * 2 // 5, options.records * 4], options.rounds, installed)
        bench.all_changes(max(2, options.records // 6250), options.rounds, installed)
        bench.start()
        bench.year(options.rounds)
        bench.latency(300 if options.rounds > 1 else 20)
        # A single round is for looking whether all of it works.
        bench.idle(*((10, 20) if options.rounds > 1 else (1, 1)))
    say("\ntargets, meant for 250000 records and several rounds:")
    say("\n".join(targets))


if __name__ == "__main__":
    main()
