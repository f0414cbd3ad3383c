#!/usr/bin/env python3
"""`decode: feed` against the tests of feedparser, which come with its source distribution.

usage: feeds.py FLOW FOLDER [-v]

FOLDER is the unpacked distribution: pip download --no-deps --no-binary :all: feedparser. Each of its tests is a feed
with an expression in a comment. Compared are those that ask for what an entry has here: id, title, link, dates, author,
summary, content, categories, enclosures. Without the folder nothing is compared.

feedparser 6.0.14 has 624 such feeds, of which 143 can be compared: 100 are equal. The others ask for base64 in Atom
(12), the exact markup of SVG and MathML (10), markup in titles, which are plain text here (9), and HTML that
feedparser rewrites, or members that it moves (12).
"""
import calendar
import concurrent.futures
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import time

flow, folder = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
verbose = "-v" in sys.argv
if not os.path.isdir(folder):
    print("feeds.py: there is no folder “%s”; skipped" % folder)
    sys.exit(0)

PIPELINE = "sources: { in: { stdin: feed } }\nsteps: []\nsinks: { out: { console: '\\(.)' } }\n"
# What an expression may ask for, with an index or as an attribute.
KNOWN = {
    "id", "guid", "title", "link", "published_parsed", "date_parsed", "updated_parsed", "author", "summary",
    "description", "content", "value", "tags", "term", "enclosures", "href", "url", "length", "entries",
    "created_parsed", "modified_parsed", "categories",
}
# Sanitizing, resolution of links inside of HTML, and guesses about broken text are feedparser's own.
FOLDERS = ["rss", "rdf", "atom", "atom10", "node_precedence", "namespace"]


class Entry(dict):
    """An entry as feedparser names its members."""

    def __init__(self, entry):
        def moment(text):
            return time.gmtime(calendar.timegm(time.strptime(text, "%Y-%m-%dT%H:%M:%SZ"))) if text else None

        published, updated = moment(entry["published"]), moment(entry["updated"])
        members = {
            "id": entry["id"], "guid": entry["id"], "title": entry["title"], "link": entry["link"],
            "author": entry["author"], "summary": entry["summary"] or entry["content"], "description": entry["summary"],
            "content": [Entry.of(value=entry["content"])] if entry["content"] else None,
            "published_parsed": published, "created_parsed": published, "updated_parsed": updated or published,
            "modified_parsed": updated or published, "date_parsed": updated or published,
            "tags": [Entry.of(term=c, label=c) for c in entry["categories"]],
            "categories": [("", c) for c in entry["categories"]],
            "enclosures": [Entry.of(href=e["url"], url=e["url"], length=str(e["length"] or "")) for e in entry["enclosures"]],
        }
        super().__init__({k: v for k, v in members.items() if v is not None})

    @staticmethod
    def of(**members):
        entry = dict.__new__(Entry)
        dict.__init__(entry, members)
        return entry

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name)


class Feed(Entry):
    def __init__(self, entries):
        dict.__init__(self, entries=entries)


def run(path):
    with open(path, "rb") as file:
        data = file.read()
    found = re.search(rb"Expect:\s*(.*?)\s*-->", data, re.S)
    if not found:
        return "other"
    expect = re.sub(r"\s+", " ", found.group(1).decode("utf-8", "replace"))
    expect = re.sub(r"^not bozo and ", "", expect)
    asked = re.sub(r"==\s*u?(\"\"\".*?\"\"\"|'[^']*'|\"[^\"]*\"|\([^)]*\))", "", expect)
    words = set(re.findall(r"'(\w+)'|\.(\w+)|\b(\w+)\b(?=\[0\])", asked))
    names = {w for group in words for w in group if w}
    if "entries" not in names or not names <= KNOWN or "bozo" in expect:
        return "other"
    result = subprocess.run([flow, "run", "--no-state", pipeline], input=data, capture_output=True)
    try:
        entries = [Entry(json.loads(line)) for line in result.stdout.splitlines()]
        if eval(expect, {"__builtins__": {"len": len, "str": str}}, {"entries": entries, "feed": None}):
            return "equal"
        reason = "differs: %r" % (entries[:1],)
    except Exception as error:
        reason = "%s %s" % (repr(error), result.stderr.decode()[:200])
    return "%s\n    %s\n    %s" % (path, expect, reason)


with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
    file.write(PIPELINE)
    file.flush()
    pipeline = file.name
    paths = sorted(p for f in FOLDERS for p in glob.glob(os.path.join(folder, "tests", "wellformed", f, "*.xml")))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(run, paths))
different = [r for r in results if r not in ("equal", "other")]
if verbose:
    print("\n".join(different))
print("%d feeds: %d equal, %d different, %d ask for what an entry does not have here"
      % (len(paths), results.count("equal"), len(different), results.count("other")))
