#!/usr/bin/env python3
"""Times whole processes on four jobs over a file of launches: run.py [--records 250000] [--rounds 3] FLOW

A selects and projects, B is A with only the first of each id, C tells what changed of each id, D reads and writes.
Beside `flow eval` run jq (if there is one), a Python loop with orjson (if there is one) and `wc -l`. The processes take
turns, so that what else the machine does hits all of them; what counts is CPU time, and the ratio within one run.
"""
import argparse
import os
import shutil
import statistics
import subprocess
import sys

from processes import HERE, launches, timed

SELECT = 'select(.status.abbrev == "Go") | '
FIELDS = ("{id, name, net, status: .status.abbrev, provider: .launch_service_provider.name, "
          "location: .pad.location.name}")
FIRST = ("foreach (inputs | " + SELECT + FIELDS + ") as $row ({}; .new = (.seen[$row.id] | not) | .seen[$row.id] = true;"
         " if .new then $row else empty end)")
CHANGES = ("foreach (inputs | {id, name, net, status: .status.abbrev}) as $new ({}; .old = .last[$new.id] | .last[$new.id] = $new;"
           " if .old and .old != $new then {id: $new.id, before: .old, after: $new} else empty end)")
PROGRAMS = {"A": ["-c", SELECT + FIELDS], "B": ["-nc", FIRST], "C": ["-nc", CHANGES], "D": ["-c", "."]}


def lines_of(command):
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        count = subprocess.run(["wc", "-l"], stdin=process.stdout, stdout=subprocess.PIPE, check=True)
    return int(count.stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("flow")
    parser.add_argument("--records", type=int, default=250_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--file", help="measure on this file instead of a generated one")
    options = parser.parse_args()
    path = options.file or launches(options.records)
    size = os.path.getsize(path) / 1e6
    jq = shutil.which("jq")
    version = subprocess.run([jq, "--version"], stdout=subprocess.PIPE, text=True).stdout.strip() if jq else None
    has_orjson = subprocess.run([sys.executable, "-c", "import orjson"], stderr=subprocess.DEVNULL).returncode == 0
    print("%.0f MB, %d rounds in turn; CPU seconds (median), MB/s, peak MB" % (size, options.rounds))
    if not jq:
        print("no jq here to compare with")
    if not has_orjson:
        print("no orjson here to compare with (pip install orjson)")

    for job, arguments in PROGRAMS.items():
        contenders = {"flow eval": [options.flow, "eval", *arguments, path]}
        # jq 1.6 copies the state at each step of B and C, which takes hours on such a file.
        if jq and (job in "AD" or version != "jq-1.6"):
            contenders[version] = [jq, *arguments, path]
        if has_orjson:
            contenders["orjson loop"] = [sys.executable, os.path.join(HERE, "loop.py"), job, path]
        if job in "AD":
            contenders["wc -l"] = ["wc", "-l", path]
        counts = {name: lines_of(command) for name, command in contenders.items() if name != "wc -l"}
        if len(set(counts.values())) > 1:
            sys.exit("job %s: not the same number of lines: %s" % (job, counts))
        results = {name: [] for name in contenders}
        with open(os.devnull, "wb") as out:
            for _ in range(options.rounds):
                for name, command in contenders.items():
                    results[name].append(timed(command, out))
        own = statistics.median(run.cpu for run in results["flow eval"])
        print("\n%s  (%d lines out)" % (job, counts["flow eval"]))
        for name, runs in results.items():
            seconds = statistics.median(run.cpu for run in runs)
            times = "" if name == "flow eval" else "   %.1f times flow eval" % (seconds / own)
            print("  %-12s %7.2f s  %6.0f MB/s  %5.0f MB%s"
                  % (name, seconds, size / max(seconds, 1e-9), max(run.megabytes for run in runs), times))

    starts = [timed([options.flow, "eval", "-n", "1"], subprocess.DEVNULL).cpu for _ in range(15)]
    print("\nstart (flow eval -n 1): %.1f ms CPU (median of 15)" % (1000 * statistics.median(starts)))


if __name__ == "__main__":
    main()
