#!/usr/bin/env python3
"""Times reading a table: tables.py [--records 800000] [--rounds 3] FLOW

A file of ten columns, plain and in quotes, to its end: flow from the file to nothing, Python's csv, and DuckDB with one
thread where it is installed. The processes take turns; reported are megabytes of the file per CPU second, all of a
process counted, the best of the rounds.
"""
import argparse
import csv
import os
import random
import sys
import tempfile

from processes import timed, version

COLUMNS = ["id", "name", "price", "date", "city", "status", "lat", "lon", "comment", "flag"]
PYTHON = "import csv, sys\nfor row in csv.%s(open(sys.argv[1], newline='')): pass"
DUCKDB = ("import duckdb, sys\nc = duckdb.connect(); c.execute('set threads=1')\n"
          "c.execute(\"create table t as select * from read_csv('%s', all_varchar=true)\" % sys.argv[1])")


def write(path, records, quoting):
    rng = random.Random(1)
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, quoting=quoting, lineterminator="\n")
        writer.writerow(COLUMNS)
        for number in range(records):
            writer.writerow([number, "station %d" % (number % 977), "%.2f" % (rng.random() * 100), "2026-01-01T00:00:00Z",
                             "Warszawa", "open", "%.5f" % (rng.random() * 90), "%.5f" % (rng.random() * 180),
                             "some words about it", "true"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("flow")
    parser.add_argument("--records", type=int, default=800_000)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name, quoting in [("plain", csv.QUOTE_MINIMAL), ("quoted", csv.QUOTE_ALL)]:
            table, pipeline = os.path.join(folder, name + ".csv"), os.path.join(folder, name + ".yaml")
            write(table, given.records, quoting)
            with open(pipeline, "w") as file:
                file.write("sources: { in: { file: { path: %s, decode: csv } } }\nsteps: []\nsinks: { out: { null: } }\n" % table)
            ways = {"flow": [os.path.abspath(given.flow), "run", "--no-state", pipeline],
                    "csv.reader": [sys.executable, "-c", PYTHON % "reader", table],
                    "csv.DictReader": [sys.executable, "-c", PYTHON % "DictReader", table]}
            if version("duckdb"):
                ways["DuckDB"] = [sys.executable, "-c", DUCKDB, table]
            best = {}
            with open(os.devnull, "w") as nothing:
                for _ in range(given.rounds):
                    for way, command in ways.items():
                        cpu = timed(command, nothing).cpu
                        best[way] = min(best.get(way, cpu), cpu)
            size = os.path.getsize(table) / 1e6
            print("%-7s %4.0f MB  " % (name, size) + "  ".join("%s %.0f MB/s" % (way, size / cpu) for way, cpu in best.items()))


main()
