#!/usr/bin/env python3
"""Times every step on one core: nodes.py [--records 100000] [--launches N] [--rounds 3] [--only WORD,WORD] FLOW

The launches of launches.py from a file through the step to nothing, without state on disk, beside the same pipeline
without the step; the two take turns. Cases with state are beside themselves without it, and have the records be of 1000
launches, as those of polls are. So are the sinks that need no server; `enrich` waits for one, and is left out.
Reported are medians of the rounds: CPU microseconds a record of whole processes, and how many times those of the
pipeline without the step. More than "at most" ends the script with 1, unless the run was too short to judge: fewer than
3 rounds or 50,000 records, or with --launches, which has the records be of so many launches. A "goal" is what a step is to
come to.
"""
import argparse
import collections
import json
import os
import shutil
import statistics
import sys
import tempfile

from processes import launches, timed

# What is measured, and what it is measured beside: lists of steps, and a sink; or the same without state.
Case = collections.namedtuple("Case", "name steps most goal without sink keeps", defaults=(None, [], {"null": {}}, False))


def changes(**options):
    return {"changes": {"key": ".id", "types": ["changed"], **options}}


def case(name, options, most, goal=None):
    """A step by itself."""
    return Case(name, [{name: options}], most, goal)


def kept(name, steps, most, goal=None):
    """Steps with state, beside themselves without it."""
    return Case(name + " with state", steps, most, goal, steps, keeps=True)


CASES = [
    case("map", {"id": ".id", "net": ".net", "status": ".status.abbrev"}, 1.5),
    case("filter", '.status.abbrev == "Go"', 1.4),
    case("dedupe", ".id", 1.7, 1.5),
    case("distinct_until_changed", {"key": ".id", "value": ".net"}, 2.4),
    Case("changes", [changes()], 3.6),
    Case("changes, watch", [changes(watch=[".net", ".status"])], 1.15, 1.15, [changes()]),
    Case("changes, ignore", [changes(ignore=[".probability", ".webcast_live"])], 1.15, 1.15, [changes()]),
    Case("changes, tolerance", [changes(tolerance={".net": "10m"})], 1.3, 1.3, [changes()]),
    Case("settle behind changes", [{"changes": ".id"}, {"settle": "1h"}], 3, 2.2, [{"changes": ".id"}]),
    case("debounce", {"key": ".id", "for": "1h"}, 3.5, 2.5),
    case("throttle", {"key": ".id", "for": "1h"}, 1.8, 1.8),
    case("sample", {"key": ".id", "every": "1h"}, 3.2, 2.2),
    case("remind", {"key": ".id", "at": ".net"}, 3, 2.2),
    case("sort", ".net", 3, 2.5),
    case("alarm", {"when": '.status.abbrev == "On Hold"', "for": "1h", "key": ".id"}, 2.1),
    case("take", 10**9, 1.3),
    case("skip", 1, 1.3),
    case("log", {"message": r"\(.id)", "level": "detail"}, 1.6),
    case("batch", 100, 1.8),
    case("window", {"tumbling": "1h", "key": ".status.id", "init": 0, "update": ". + 1"}, 3.2),
    case("scan", {"key": ".id", "init": 0, "update": ". + 1"}, 2.7),
    case("join", {"with": "other", "key": ".status.id", "other_key": ".id"}, 3.1),
    case("delay", "1s", 3.6),
    case("rate_limit", {"count": 10**6, "per": "1s", "bound": 10**6}, 4),
    case("timeout", "1h", 1.3),
    case("partition", {"by": ".id", "into": 4}, 1.5),
    kept("changes", [{"changes": ".id"}], 2, 1.3),
    kept("debounce", [{"debounce": {"key": ".id", "for": "1h"}}], 2.7, 1.3),
    kept("settle", [{"changes": ".id"}, {"settle": "1h"}], 2.2, 1.3),
    Case("jsonl", [], 1.8, sink={"jsonl": "OUT"}),
    Case("csv", [], 2, sink={"csv": {"path": "OUT", "columns": {"id": ".id", "net": ".net"}}}),
    Case("feed", [], 2.3, 2, sink={"feed": {"path": "OUT", "title": r"\(.name)", "key": ".id"}}),
    Case("count", [], 1.5, sink={"count": {"by": ".status.id"}}),
]
# What `join` joins with, in a stream of its own.
OTHER = {"generate": "range(6) | { id: . + 1 }"}


class Bench:
    def __init__(self, flow, folder, records, path):
        self.flow, self.folder, self.records, self.path = os.path.abspath(flow), folder, records, path

    def command(self, name, steps, sink, path, keeps=False):
        """The command that runs a pipeline, in the form of JSON, which is YAML."""
        file = os.path.join(self.folder, name.replace(" ", "-") + ".yaml")
        sink = json.loads(json.dumps(sink).replace("OUT", os.path.join(self.folder, name + ".out")))
        sources = {"input": {"file": path}}
        if any("join" in step for step in steps):
            sources["other"] = OTHER
        streams = {"measured": {"from": "input", "steps": steps}}
        with open(file, "w") as out:
            json.dump({"sources": sources, "streams": streams, "sinks": {"output": {"from": "measured", **sink}}}, out)
        state = ["--state", os.path.join(self.folder, "state.out")] if keeps else ["--no-state"]
        return [self.flow, "run", "--quiet", *state, file]

    def measure(self, case, rounds):
        """CPU seconds of the rounds: without and with."""
        path = launches(self.records, 1000) if case.keeps else self.path
        commands = [self.command(case.name + " without", case.without, {"null": {}}, path),
                    self.command(case.name, case.steps, case.sink, path, case.keeps)]
        pairs = []
        with open(os.devnull, "w") as nothing:
            for _ in range(rounds):
                for name in os.listdir(self.folder):
                    if name.endswith(".out"):
                        path = os.path.join(self.folder, name)
                        shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
                pairs.append([timed(command, nothing).cpu for command in commands])
        return pairs


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("flow")
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--launches", type=int, help="how many there are (default: half as many as records)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", type=lambda text: text.split(","), default=[], help="cases whose names begin so")
    given = parser.parse_args()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    path = launches(given.records, given.launches)
    print("steps on one core: %.0f MB, %d rounds in turn; medians" % (os.path.getsize(path) / 1e6, given.rounds))
    print("  %-24s %9s %9s %7s %8s %6s" % ("", "µs", "without", "times", "at most", "goal"), flush=True)
    missed = []
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(given.flow, folder, given.records, path)
        for case in CASES:
            if given.only and not case.name.startswith(tuple(given.only)):
                continue
            pairs = bench.measure(case, given.rounds)
            without, cpu = (1e6 * statistics.median(column) / given.records for column in zip(*pairs))
            times = statistics.median(pair[1] / pair[0] for pair in pairs)
            if times > case.most:
                missed.append("%s: %.2f times, at most %g" % (case.name, times, case.most))
            print("  %-24s %9.2f %9.2f %7.2f %8g %6s" % (case.name, cpu, without, times, case.most, case.goal or ""), flush=True)
    if missed and given.rounds >= 3 and given.records >= 50_000 and not given.launches:
        sys.exit("too slow: " + "; ".join(missed))
    if missed:
        print("over the limit, in a run too short to judge: " + "; ".join(missed))


if __name__ == "__main__":
    main()
