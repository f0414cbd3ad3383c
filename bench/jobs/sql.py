#!/usr/bin/env python3
"""Times the `sql` source and sink in whole processes: sql.py [--records 250000] [--rounds 3] FLOW

Rows of 200 bytes in a SQLite file: a table is read as events that are counted, and a file of events is written by upserts
into an empty table and into one that has the rows already, without state and with it. The figure is rows per second of
CPU time; a loop of Python's sqlite3 does the same beside each.
"""
import argparse
import json
import os
import shutil
import sqlite3
import statistics
import sys
import tempfile

from pipelines import say, target, targets
from processes import timed

COLUMNS = ["id", "name", "net", "status", "note"]
MAKE = "CREATE TABLE t (id INTEGER PRIMARY KEY, name, net, status, note)"
UPSERT = ("INSERT INTO t VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET name = excluded.name, net = excluded.net,"
          " status = excluded.status, note = excluded.note")


def row(number):
    """An event of 200 bytes of JSON."""
    return {"id": number, "name": "launch %d" % number, "net": "2026-11-21T12:00:00Z", "status": "Go", "note": "x" * 104}


def fresh(path, rows):
    """A file with a table of these rows."""
    if os.path.exists(path):
        os.remove(path)
    database = sqlite3.connect(path)
    database.execute(MAKE)
    database.executemany(UPSERT, ([one[name] for name in COLUMNS] for one in rows))
    database.commit()
    database.close()


def python_reads(path):
    """A loop that counts the rows, each as JSON."""
    database = sqlite3.connect(path)
    database.row_factory = sqlite3.Row
    count = 0
    for one in database.execute("SELECT * FROM t"):
        json.dumps(dict(one))
        count += 1
    print(json.dumps({"count": count}))


def python_writes(path, lines):
    """A loop that writes the rows in transactions of a thousand."""
    database = sqlite3.connect(path)
    with open(lines) as file:
        for number, line in enumerate(file):
            one = json.loads(line)
            database.execute(UPSERT, [one[name] for name in COLUMNS])
            if number % 1000 == 999:
                database.commit()
    database.commit()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("flow")
    parser.add_argument("--records", type=int, default=250_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    say("sql: %d rows of 200 bytes, %d rounds, medians; SQLite %s; load %.1f" % (
        options.records, options.rounds, sqlite3.sqlite_version, os.getloadavg()[0]))
    with tempfile.TemporaryDirectory() as folder:
        measure(os.path.abspath(options.flow), folder, options)
    say("\ntargets, meant for 250000 records and several rounds; load %.1f:" % os.getloadavg()[0])
    say("\n".join(targets))


def measure(flow, folder, options):
    path, lines, state, printed = (os.path.join(folder, name) for name in ("it.db", "in.jsonl", "state", "printed"))
    rows = [row(number) for number in range(options.records)]
    with open(lines, "w") as file:
        file.writelines(json.dumps(one) + "\n" for one in rows)
    columns = {name: "." + name for name in COLUMNS[1:]}
    pipelines = {
        "read": ({"sql": {"url": "sqlite:" + path, "query": "select * from t"}}, {"count": {}}),
        "write": ({"file": lines}, {"sql": {"url": "sqlite:" + path, "table": "t", "key": {"id": ".id"}, "columns": columns}}),
    }
    for name, (source, sink) in pipelines.items():
        with open(os.path.join(folder, name + ".yaml"), "w") as file:
            json.dump({"sources": {"in": source}, "steps": [], "sinks": {"out": sink}}, file)
    python = [sys.executable, os.path.abspath(__file__), "--python"]
    cases = [("read", "", rows, False)] + [("write", what, there, kept) for what, there in (("insert", []), ("update", rows))
                                          for kept in (False, True)]
    for name, what, there, kept in cases:
        if name == "write":
            there = [dict(one, status="TBC") for one in there]
        own, loop = [], []
        for _ in range(options.rounds):
            for command, times in (
                    ([flow, "run", "--once", "--quiet", *(["--state", state] if kept else ["--no-state"]),
                      os.path.join(folder, name + ".yaml")], own),
                    (python + [name, path, lines], loop)):
                shutil.rmtree(state, ignore_errors=True)
                fresh(path, there)
                with open(printed, "w") as out:
                    times.append(timed(command, out).cpu)
                check(name, path, printed, options.records)
        rate, other = (options.records / statistics.median(times) for times in (own, loop))
        say("  %-6s %-8s %-14s %8.0f rows per CPU second (%.2f us each); Python %.0f" % (
            name, what, "with state" if kept else "without state", rate, 1e6 / rate, other))
        if not kept:
            target(" ".join(["sql", name, what]).strip() + ": thousand rows per CPU second", rate / 1000, 400 if name == "read" else 100, least=True)


def check(name, path, printed, records):
    """Ends the script where not every row has arrived."""
    if name == "read":
        with open(printed) as file:
            found = json.load(file)["count"]
    else:
        found = sqlite3.connect(path).execute("SELECT count(*) FROM t WHERE status = 'Go'").fetchone()[0]
    if found != records:
        sys.exit("%s: %d of %d rows arrived" % (name, found, records))


if __name__ == "__main__":
    if sys.argv[1:3] == ["--python", "read"]:
        python_reads(sys.argv[3])
    elif sys.argv[1:3] == ["--python", "write"]:
        python_writes(sys.argv[3], sys.argv[4])
    else:
        main()
