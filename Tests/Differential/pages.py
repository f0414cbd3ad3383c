#!/usr/bin/env python3
"""`decode: html` against the tests of html5lib, which come with its source distribution.

usage: pages.py FLOW FOLDER [-v]

FOLDER is the unpacked distribution: pip download --no-deps --no-binary html5lib html5lib. Each test of tree-construction
is a page with the tree that a browser makes of it. Compared are the texts of all elements of each name, as selectors
find them: in fragments, in pages with scripts on, and in svg and math there is nothing to compare. Without the folder
nothing is compared.

html5lib 1.1 has 741 such pages, most of them broken on purpose. libgumbo differs in newer rules alone, as for `select`.
The whole trees of a part of them are compared by Tests/MarkupTests/BrowserTreesTests.swift, where it is at hand.
"""
import concurrent.futures
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

flow, folder = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
verbose = "-v" in sys.argv
if not os.path.isdir(folder):
    print("pages.py: there is no folder “%s”; skipped" % folder)
    sys.exit(0)

# What is in these is no text of the page.
SILENT = {"script", "style", "template", "noscript", "head", "title", "iframe", "noembed", "noframes", "textarea", "plaintext"}


class Element:
    def __init__(self, name):
        self.name, self.children = name, []

    def text(self):
        return "".join(c if isinstance(c, str) else "" if c.name in SILENT else c.text() for c in self.children)

    def all(self):
        yield self
        for child in self.children:
            if not isinstance(child, str):
                yield from child.all()


def tree(lines):
    """The tree of a test: a line for each node, indented by two for each level."""
    root = Element("")
    stack = [root]
    text = None
    for line in lines:
        if text is not None:
            text += "\n" + line
        else:
            depth = (len(line) - 2 - len(line[2:].lstrip(" "))) // 2
            rest = line[2:].strip(" ")
            del stack[depth + 1:]
            if rest.startswith('"'):
                text = rest[1:]
            elif rest.startswith("<") and not rest.startswith("<!"):
                element = Element(rest[1:-1])
                stack[-1].children.append(element)
                stack.append(element)
                continue
            else:
                continue
        if text.endswith('"'):
            stack[-1].children.append(text[:-1])
            text = None
    return root


def tests():
    for path in sorted(glob.glob(os.path.join(folder, "html5lib/tests/testdata/tree-construction/*.dat"))):
        for block in re.split(r"(?:^|\n\n)#data\n", open(path, encoding="utf-8", errors="surrogateescape").read())[1:]:
            head, _, expected = block.partition("\n#document\n")
            page = head.partition("\n#errors")[0]
            if "#document-fragment" in head or "#script-on" in head or "\0" in page or "<svg " in expected or "<math " in expected:
                continue
            yield os.path.basename(path), page, expected.rstrip("\n").split("\n")


def words(text):
    return " ".join(text.split())


def run(test):
    name, page, lines = test
    wanted = {}
    for element in tree(lines).all():
        if re.fullmatch("[a-z][a-z0-9]*", element.name) and element.name not in SILENT | {"html", "body"}:
            wanted.setdefault(element.name, []).append(words(element.text()))
    if not wanted or any("\ud800" <= c <= "\udfff" for c in page):
        return name, None, page, wanted
    with tempfile.TemporaryDirectory() as place:
        path = os.path.join(place, "p.yaml")
        fields = ", ".join("%s: '%s[]'" % (n, n) for n in wanted)
        with open(path, "w") as file:
            file.write("sources: { in: { stdin: { decode: { html: { select: html, fields: { %s } } } } } }\n" % fields)
            file.write("steps: []\nsinks: { out: { console: '\\(.)' } }\n")
        ended = subprocess.run([flow, "run", "--no-state", "--quiet", path], input=page.encode("utf-8"), capture_output=True)
    try:
        found = {key: [words(text) for text in texts] for key, texts in json.loads(ended.stdout).items()}
    except ValueError:
        found = ended.stderr.decode("utf-8", "replace")
    return name, found == wanted, page, (wanted, found)


equal = compared = 0
files = {}
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    for name, same, page, detail in pool.map(run, tests()):
        if same is None:
            continue
        compared += 1
        equal += same
        counts = files.setdefault(name, [0, 0])
        counts[0] += same
        counts[1] += 1
        if verbose and not same:
            print("%s: %r\n  %s\n  %s" % (name, page, *detail))
for name, (same, all) in sorted(files.items()):
    print("  %-32s %3d of %3d" % (name, same, all))
print("%d of %d pages have the elements and texts that browsers find" % (equal, compared))
