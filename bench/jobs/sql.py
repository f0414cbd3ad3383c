#!/usr/bin/env python3
"""Times the `sql` source and sink in whole processes: sql.py [--records 250000] [--rounds 3] FLOW

Rows of 200 bytes in a SQLite file: a table is read as events that are counted, and a file of events is written by upserts
into an empty table and into one that has the rows already, without state and with it. The figure is rows per second of
CPU time; a loop of Python's sqlite3 does the same beside each.

Where the programs of a PostgreSQL server are installed the same is done there, on a server of its own that ends with the
script: its figure is rows per second on the clock, since most of the work is the server's. Beside it psql copies the rows,
which is the server's limit, and a loop of Python's psycopg2 (python3-psycopg2) writes and reads them, if it is installed.
"""
import argparse
import contextlib
import csv
import glob
import importlib.util
import itertools
import json
import os
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

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


def psycopg_writes(url, lines):
    """A loop that writes the rows by upserts of a thousand, a transaction each."""
    import psycopg2.extras
    database = psycopg2.connect(url)
    upsert = UPSERT.replace("(?, ?, ?, ?, ?)", "%s")
    with open(lines) as file, database.cursor() as cursor:
        while rows := [json.loads(line) for line in itertools.islice(file, 1000)]:
            psycopg2.extras.execute_values(cursor, upsert, [[one[name] for name in COLUMNS] for one in rows], page_size=1000)
            database.commit()


def psycopg_reads(url):
    """A loop that counts the rows, each as JSON."""
    import psycopg2.extras
    count = 0
    with psycopg2.connect(url).cursor("rows", cursor_factory=psycopg2.extras.RealDictCursor) as cursor:
        cursor.execute("SELECT * FROM t")
        for one in cursor:
            json.dumps(one, default=str)
            count += 1
    print(json.dumps({"count": count}))


@contextlib.contextmanager
def server(folder):
    """The address of a PostgreSQL server in that folder; None where none is installed. It refuses to run as root."""
    programs = sorted(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: int(path.split("/")[-2]))
    if not programs:
        yield None
        return
    user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.getuid() == 0 else []
    home, place = tempfile.mkdtemp(dir="/tmp"), None
    if user:
        shutil.chown(home, "postgres", "postgres")
    try:
        data = os.path.join(home, "data")
        subprocess.run(user + [programs[-1] + "/initdb", "-D", data, "-U", "postgres", "-A", "trust", "--locale=C", "-E", "UTF8"],
                       check=True, stdout=subprocess.DEVNULL, cwd="/tmp")
        with open(os.path.join(folder, "server.log"), "w") as log:
            place = subprocess.Popen(user + [programs[-1] + "/postgres", "-D", data, "-k", home, "-c", "listen_addresses="],
                                     stdout=log, stderr=log, cwd="/tmp")
        address = "postgres://postgres@/postgres?host=" + home
        while subprocess.run([programs[-1] + "/psql", address, "-c", "select 1"], stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL).returncode != 0:
            if place.poll() is not None:
                sys.exit("the PostgreSQL server does not start")
            time.sleep(0.1)
        yield address, programs[-1] + "/psql"
    finally:
        if place:
            place.terminate()
            place.wait()
        shutil.rmtree(home, ignore_errors=True)


def ask(found, *statements):
    """Runs statements on a server; what the last one gives."""
    commands = [part for one in statements for part in ("-c", one)]
    return subprocess.run([found[1], found[0], "-XqAt"] + commands, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def measure_server(flow, folder, options, found):
    """Reads and writes the same rows on a PostgreSQL server."""
    lines, state, printed = (os.path.join(folder, name) for name in ("in.jsonl", "state", "printed"))
    make = "SET client_min_messages = warning; DROP TABLE IF EXISTS t; CREATE TABLE t (id int PRIMARY KEY, name text, net timestamptz, status text, note text)"
    pipelines = {
        "read": ({"sql": {"url": found[0], "query": "select * from t"}}, {"count": {}}),
        "write": ({"file": lines}, {"sql": {"url": found[0], "table": "t", "key": {"id": ".id"},
                                            "columns": {name: "." + name for name in COLUMNS[1:]}}}),
    }
    for name, (source, sink) in pipelines.items():
        with open(os.path.join(folder, name + "-server.yaml"), "w") as file:
            json.dump({"sources": {"in": source}, "steps": [], "sinks": {"out": sink}}, file)
    say("\nPostgreSQL %s:" % ask(found, "SHOW server_version"))
    python = [sys.executable, os.path.abspath(__file__), "--psycopg"]
    copies = {"insert": "\\copy t from %s csv" % os.path.join(folder, "in.csv"), "": "\\copy t to %s csv" % os.devnull}
    with open(lines) as file, open(os.path.join(folder, "in.csv"), "w") as copied:
        csv.writer(copied).writerows([json.loads(line)[name] for name in COLUMNS] for line in file)
    for name, what, kept in (("write", "insert", False), ("write", "insert", True), ("write", "update", True), ("read", "", False)):
        commands = [("flow", [flow, "run", "--once", "--quiet", *(["--state", state] if kept else ["--no-state"]),
                              os.path.join(folder, name + "-server.yaml")])]
        if what in copies:
            commands.append(("COPY", [found[1], found[0], "-Xq", "-c", copies[what]]))
        if importlib.util.find_spec("psycopg2"):
            commands.append(("psycopg2", python + [name, found[0], lines]))
        times = {}
        for _ in range(options.rounds):
            for who, command in commands:
                if what == "insert":
                    ask(found, make)
                elif what == "update":
                    ask(found, "UPDATE t SET status = 'TBC'", "VACUUM t")
                shutil.rmtree(state, ignore_errors=True)
                with open(printed, "w") as out:
                    times.setdefault(who, []).append(timed(command, out))
                if name == "write":
                    count = int(ask(found, "SELECT count(*) FROM t WHERE status = 'Go'"))
                elif who != "COPY":
                    with open(printed) as file:
                        count = json.load(file)["count"]
                if count != options.records:
                    sys.exit("%s: %d of %d rows of %s arrived" % (name, count, options.records, who))
        rates = {who: options.records / statistics.median(one.wall for one in found) for who, found in times.items()}
        rate = rates["flow"]
        say("  %-6s %-8s %-14s %8.0f rows per second, %8.0f per CPU second of flow%s" % (
            name, what, "with state" if kept else "without state", rate,
            options.records / statistics.median(one.cpu for one in times["flow"]),
            "".join("; %s %.0f" % other for other in rates.items() if other[0] != "flow")))
        target(" ".join(["postgres", name, what, "with state" if kept else ""]).strip() + ": thousand rows per second", rate / 1000,
               250 if name == "read" else 40, least=True)


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
        with server(folder) as found:
            if found:
                measure_server(os.path.abspath(options.flow), folder, options, found)
            else:
                say("\nPostgreSQL is not installed: make setup-postgres")
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
    elif sys.argv[1:3] == ["--psycopg", "read"]:
        psycopg_reads(sys.argv[3])
    elif sys.argv[1:3] == ["--psycopg", "write"]:
        psycopg_writes(sys.argv[3], sys.argv[4])
    else:
        main()
