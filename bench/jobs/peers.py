#!/usr/bin/env python3
"""The jobs as one would write them with other stream processors and data frames: peers.py PEER JOB FILE OUT

Each has what helps it: the columns are named, so that nothing is guessed or read in vain, and one thread is used.
"""
import os
import sys

STATUS = "STRUCT(id BIGINT, name VARCHAR, abbrev VARCHAR)"
PROVIDER = "STRUCT(name VARCHAR, type VARCHAR)"
PAD = "STRUCT(name VARCHAR, location STRUCT(name VARCHAR, country_code VARCHAR), latitude DOUBLE)"
FEW = {"id": "VARCHAR", "name": "VARCHAR", "net": "VARCHAR", "status": "STRUCT(abbrev VARCHAR)"}
SIX = FEW | {"launch_service_provider": "STRUCT(name VARCHAR)", "pad": "STRUCT(location STRUCT(name VARCHAR))"}
ALL = FEW | {
    "status": STATUS, "launch_service_provider": PROVIDER,
    "rocket": "STRUCT(configuration STRUCT(full_name VARCHAR, family VARCHAR))",
    "mission": "STRUCT(name VARCHAR, description VARCHAR, orbit STRUCT(abbrev VARCHAR))",
    "pad": PAD, "probability": "BIGINT", "webcast_live": "BOOLEAN",
    "vidURLs": "STRUCT(priority BIGINT, title VARCHAR, url VARCHAR)[]"}
COLUMNS = {"A": SIX, "B": SIX, "C": FEW, "D": ALL}


def duckdb(job, path, out):
    import duckdb
    columns = "{%s}" % ", ".join('"%s": \'%s\'' % column for column in COLUMNS[job].items())
    rows = "read_ndjson('%s', columns = %s)" % (path, columns)
    project = ("SELECT %%s id, name, net, status.abbrev AS status, launch_service_provider.name AS provider, "
               "pad.location.name AS location FROM %s WHERE status.abbrev = 'Go'" % rows)
    changes = """SELECT id, before, after FROM (
        SELECT id, lag(event) OVER (PARTITION BY id ORDER BY n) AS before, event AS after FROM (
          SELECT id, row_number() OVER () AS n, {'id': id, 'name': name, 'net': net, 'status': status.abbrev} AS event
          FROM %s))
        WHERE before IS NOT NULL AND before <> after""" % rows
    query = {"A": project % "", "B": project % "DISTINCT ON (id)", "C": changes, "D": "SELECT * FROM " + rows}[job]
    connection = duckdb.connect()
    connection.execute("SET threads = 1")
    connection.execute("COPY (%s) TO '%s' (FORMAT json)" % (query, out))


def polars(job, path, out):
    os.environ["POLARS_MAX_THREADS"] = "1"
    import polars as pl
    text, number = pl.String, pl.Int64

    def struct(**fields):
        return pl.Struct(fields)

    status = struct(id=number, name=text, abbrev=text)
    pad = struct(name=text, location=struct(name=text, country_code=text), latitude=pl.Float64)
    rows = pl.scan_ndjson(path, schema={
        "id": text, "name": text, "net": text, "status": status,
        "launch_service_provider": struct(name=text, type=text),
        "rocket": struct(configuration=struct(full_name=text, family=text)),
        "mission": struct(name=text, description=text, orbit=struct(abbrev=text)),
        "pad": pad, "probability": number, "webcast_live": pl.Boolean,
        "vidURLs": pl.List(struct(priority=number, title=text, url=text))})
    abbrev = pl.col("status").struct.field("abbrev")
    if job in "AB":
        provider = pl.col("launch_service_provider").struct.field("name").alias("provider")
        location = pl.col("pad").struct.field("location").struct.field("name").alias("location")
        rows = rows.filter(abbrev == "Go").select("id", "name", "net", abbrev.alias("status"), provider, location)
    if job == "B":
        rows = rows.unique(subset="id", keep="first", maintain_order=True)
    if job == "C":
        fields = rows.select("id", pl.struct("id", "name", "net", abbrev.alias("status")).alias("after"))
        told = fields.select("id", pl.col("after").shift(1).over("id").alias("before"), "after")
        rows = told.filter(pl.col("before").is_not_null() & (pl.col("before") != pl.col("after")))
    rows.sink_ndjson(out)


def is_go(row):
    return row["status"]["abbrev"] == "Go"


def four(row):
    return {"id": row["id"], "name": row["name"], "net": row["net"], "status": row["status"]["abbrev"]}


def told(last, new):
    """What job C says of a row, None if nothing; and what it keeps of the row."""
    return {"id": new["id"], "before": last, "after": new} if last is not None and last != new else None


def reactivex(job, path, out):
    import loop
    import orjson
    import reactivex
    from reactivex import operators as ops
    seen, last = set(), {}

    # A set, as the library's own distinct looks through a list.
    def is_new(row):
        if row["id"] in seen:
            return False
        seen.add(row["id"])
        return True

    def change(new):
        old = last.get(new["id"])
        last[new["id"]] = new
        return told(old, new)

    project = [ops.filter(is_go), ops.map(loop.FIELDS)]
    steps = {"A": project, "B": project + [ops.filter(is_new)],
             "C": [ops.map(four), ops.map(change), ops.filter(lambda row: row is not None)], "D": []}[job]
    with open(path, "rb") as lines, open(out, "wb") as file:
        def write(row):
            file.write(orjson.dumps(row))
            file.write(b"\n")

        def fail(error):
            raise error

        reactivex.from_iterable(lines).pipe(ops.map(orjson.loads), *steps).subscribe(write, fail)


def bytewax(job, path, out):
    import bytewax.operators as op
    import loop
    import orjson
    from bytewax.connectors.files import FileSource
    from bytewax.dataflow import Dataflow
    from bytewax.outputs import DynamicSink, StatelessSinkPartition
    from bytewax.testing import run_main

    # The library's own FileSink wants text, and waits for the disk after each batch.
    class Partition(StatelessSinkPartition):
        def __init__(self):
            self.file = open(out, "wb")

        def write_batch(self, items):
            self.file.write(b"".join(items))

        def close(self):
            self.file.close()

    class Sink(DynamicSink):
        def build(self, step_id, worker_index, worker_count):
            return Partition()

    def first(seen, row):
        return True, None if seen else row

    def change(old, new):
        return new, told(old, new)

    flow = Dataflow(job)
    rows = op.map("parse", op.input("in", flow, FileSource(path)), orjson.loads)
    if job in "AB":
        rows = op.map("project", op.filter("go", rows, is_go), loop.FIELDS)
    if job == "C":
        rows = op.map("project", rows, four)
    if job in "BC":
        keyed = op.key_on("key", rows, lambda row: row["id"])
        kept = op.stateful_map("state", keyed, first if job == "B" else change)
        rows = op.filter_map("told", kept, lambda pair: pair[1])
    op.output("out", op.map("write", rows, lambda row: orjson.dumps(row) + b"\n"), Sink())
    run_main(flow)


PEERS = {"duckdb": duckdb, "polars": polars, "reactivex": reactivex, "bytewax": bytewax}
if __name__ == "__main__":
    PEERS[sys.argv[1]](*sys.argv[2:])
