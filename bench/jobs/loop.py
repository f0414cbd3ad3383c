#!/usr/bin/env python3
"""The jobs as the loop that one would write in Python with orjson: loop.py JOB FILE"""
import sys

import orjson

FIELDS = lambda row: {"id": row["id"], "name": row["name"], "net": row["net"], "status": row["status"]["abbrev"],
                      "provider": row["launch_service_provider"]["name"], "location": row["pad"]["location"]["name"]}


def project(rows):
    return (FIELDS(row) for row in rows if row["status"]["abbrev"] == "Go")


def first(rows):
    seen = set()
    for row in project(rows):
        if row["id"] not in seen:
            seen.add(row["id"])
            yield row


def changes(rows):
    last = {}
    for row in rows:
        new = {"id": row["id"], "name": row["name"], "net": row["net"], "status": row["status"]["abbrev"]}
        old = last.get(new["id"])
        last[new["id"]] = new
        if old is not None and old != new:
            yield {"id": new["id"], "before": old, "after": new}


def differences(path, old, new, out):
    if type(old) is dict and type(new) is dict:
        for name, value in old.items():
            if name in new:
                differences(path + "/" + name, value, new[name], out)
            else:
                out.append({"path": path + "/" + name, "before": value})
        for name, value in new.items():
            if name not in old:
                out.append({"path": path + "/" + name, "after": value})
    elif old != new:
        out.append({"path": path, "before": old, "after": new})


def all_changes(rows):
    last = {}
    for row in rows:
        old = last.get(row["id"])
        last[row["id"]] = row
        if old is not None and old != row:
            out = []
            differences("", old, row, out)
            yield {"type": "changed", "key": row["id"], "before": old, "after": row, "diff": out}


JOBS = {"A": project, "B": first, "C": changes, "D": iter, "E": all_changes}


def main():
    write = sys.stdout.buffer.write
    with open(sys.argv[2], "rb") as lines:
        for out in JOBS[sys.argv[1]](orjson.loads(line) for line in lines):
            write(orjson.dumps(out))
            write(b"\n")


if __name__ == "__main__":
    main()
