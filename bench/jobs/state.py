#!/usr/bin/env python3
"""Times what state on disk costs: state.py [--records 250000] [--rounds 3] FLOW STOREBENCH

Commits beside a bare SQLite transaction (StoreBench), a file through `changes` with state and without, `dedupe` that
knows forty times as many keys as there are records, and a start with a state file of four kilobytes a record. Every run
with state begins with the same file. The processes take turns; all of it is on the disk that TMPDIR names.
"""
import argparse
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from pipelines import lines_in, say, target, targets
from processes import timed

CHANGES, KEYED = "changes", "dedupe"


def write_rows(path, ids, padding=""):
    """Rows of about a hundred bytes, each unlike any other of its id."""
    with open(path, "w") as file:
        file.writelines('{"id":%d,"name":"launch %d","net":"2026-11-21T12:00:00Z","status":"Go%s","n":%d}\n'
                        % (number, number, padding, place) for place, number in enumerate(ids))


class Bench:
    def __init__(self, flow, folder):
        self.flow, self.folder = os.path.abspath(flow), folder
        self.input, self.out, self.state = self.at("input.jsonl"), self.at("out.jsonl"), self.at("state")

    def at(self, name):
        return os.path.join(self.folder, name)

    def pipeline(self, name, steps, sink=None):
        """The path of a pipeline from the input to the output; JSON is YAML."""
        path = self.at(name + ".yaml")
        with open(path, "w") as file:
            json.dump({"sources": {"input": {"file": self.input}}, "steps": steps,
                       "sinks": {"output": sink or {"jsonl": self.out}}}, file)
        return path

    def run(self, path, keeps):
        """One run, and how many lines it wrote."""
        if os.path.exists(self.out):
            os.remove(self.out)
        command = [self.flow, "run", "--quiet", *(["--state", self.state] if keeps else ["--no-state"]), path]
        return timed(command, subprocess.DEVNULL), lines_in(self.out) if os.path.exists(self.out) else 0

    def forget(self):
        shutil.rmtree(self.state, ignore_errors=True)

    def commits(self, program, turns):
        folder = self.at("commits")
        os.mkdir(folder)
        told = subprocess.run([program, folder, str(turns)], stdout=subprocess.PIPE, text=True, check=True).stdout
        say("\n" + told.rstrip())
        shutil.rmtree(folder)
        for ratio, name in re.findall(r"ms +([0-9.e-]+) times +[0-9.e-]+ ms +(.*)", told):
            target("commit, %s: times a bare transaction" % name, float(ratio), 2.5)

    def changes(self, records, rounds):
        """Each round forgets the state, so that the file is made anew."""
        rng = random.Random(5)
        path = self.pipeline(CHANGES, [{"changes": ".id"}])
        every = list(range(records))
        rng.shuffle(every)
        cases = [("a third new", (int(rng.random() * (records // 3)) for _ in range(records))),
                 ("half new, four times as long", (int(rng.random() * records * 2) for _ in range(records * 4))),
                 ("all new", every)]
        for name, ids in cases:
            write_rows(self.input, ids)
            with_state, without = [], []
            for _ in range(rounds):
                self.forget()
                one, lines = self.run(path, keeps=True)
                other, expected = self.run(path, keeps=False)
                if lines != expected:
                    sys.exit("%s: %d lines with state and %d without" % (name, lines, expected))
                with_state.append(one)
                without.append(other)
            ratios = {}
            for what in ("cpu", "wall"):
                ratios[what] = statistics.median(getattr(b, what) / getattr(a, what) for a, b in zip(with_state, without))
            say("\nfile, changes, jsonl, %s (%d lines)" % (name, expected))
            for kind, runs in (("with state", with_state), ("without", without)):
                say("  %-12s %6.2f s CPU %6.2f s wall %5.0f MB" % (kind, statistics.median(r.cpu for r in runs),
                                                                 statistics.median(r.wall for r in runs),
                                                                 max(r.megabytes for r in runs)))
            say("  throughput with state: %.2f by CPU, %.2f by wall time" % (ratios["cpu"], ratios["wall"]))
            target("changes, %s: throughput without state, wall" % name, ratios["wall"], 0.4, least=True)
        self.forget()

    def look_ups(self, keys, rounds):
        """Fills the state with ids as they grow, then looks for some of them in a random order."""
        path = self.pipeline(KEYED, [{"dedupe": {"key": ".id", "bound": 2 * keys}}])
        with open(self.input, "w") as file:
            file.writelines('{"id":%d}\n' % number for number in range(keys))
        filled, lines = self.run(path, keeps=True)
        size = os.path.getsize(os.path.join(self.state, KEYED + ".db"))
        say("\ndedupe, %d keys: filled in %.0f s CPU, %.0f s wall, %.0f MB of memory; %.0f MB on disk"
            % (lines, filled.cpu, filled.wall, filled.megabytes, size / 1e6))
        # All apart and in no order, without a list of them: this script's memory would count as the process's.
        asked = keys * 3 // 20
        with open(self.input, "w") as file:
            file.writelines('{"id":%d}\n' % (place * 7368787 % keys) for place in range(asked))
        for kind in ("cold", "warm"):
            runs = []
            for _ in range(rounds):
                self.read_state(KEYED, kind)
                run, lines = self.run(path, keeps=True)
                if lines:
                    sys.exit("dedupe has forgotten %d keys" % lines)
                runs.append(run)
            wall, cpu = (statistics.median(asked / getattr(run, what) for run in runs) / 1000 for what in ("wall", "cpu"))
            peak = max(run.megabytes for run in runs)
            say("  the file's pages %s: %.0f k look-ups/s by wall time, %.0f k by CPU, %.0f MB" % (kind, wall, cpu, peak))
            target("dedupe, pages %s: thousand look-ups/s, wall" % kind, wall, 200, least=True)
            target("dedupe, pages %s: MB" % kind, peak, 200)
        self.forget()

    def read_state(self, name, kind):
        """Has the machine keep all pages of a state file in memory, or none."""
        with open(os.path.join(self.state, name + ".db"), "rb") as file:
            if kind == "cold":
                os.fsync(file.fileno())
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            else:
                while file.read(1 << 20):
                    pass

    def start(self, megabytes):
        """From starting the process to its first line, after a run has kept large rows."""
        path = self.pipeline("start", [{"changes": {"key": ".id", "bound": 2000 * megabytes + 1000}}], {"console": None})
        say("\nfrom the start of the process to the first line")
        for what, count in (("nothing", 0), ("much", megabytes * 1000)):
            write_rows(self.input, range(count), "o" * 850)
            self.run(path, keeps=True)
            size = os.path.getsize(os.path.join(self.state, "start.db")) / 1e6
            times = []
            for number in range(15):
                write_rows(self.input, [count + number])
                self.read_state("start", "warm")
                begun = time.perf_counter()
                command = [self.flow, "run", "--quiet", "--state", self.state, path]
                with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
                    line = process.stdout.readline()
                    times.append(1000 * (time.perf_counter() - begun))
                    process.stdout.read()
                if not line or process.returncode:
                    sys.exit("the pipeline did not write its line")
            median = statistics.median(times)
            say("  a state file of %4.0f MB: %.1f ms (median of %d, %.1f to %.1f)" % (size, median, len(times), min(times), max(times)))
            if what == "much":
                target("start with %.0f MB of state: ms to the first line" % size, median, 50)
            self.forget()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("flow")
    parser.add_argument("storebench")
    parser.add_argument("--records", type=int, default=250_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", choices=["commits", "changes", "dedupe", "start"])
    options = parser.parse_args()
    say("state: %d rounds in turn, medians; load %.1f" % (options.rounds, os.getloadavg()[0]))
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options.flow, folder)
        parts = {"commits": lambda: bench.commits(options.storebench, 100 * options.rounds),
                 "changes": lambda: bench.changes(options.records, options.rounds),
                 "dedupe": lambda: bench.look_ups(options.records * 40, options.rounds),
                 "start": lambda: bench.start(options.records // 250)}
        for name, part in parts.items():
            if options.only in (None, name):
                part()
    say("\ntargets, meant for 250000 records and several rounds; load %.1f:" % os.getloadavg()[0])
    say("\n".join(targets))


if __name__ == "__main__":
    main()
