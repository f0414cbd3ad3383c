#!/usr/bin/env python3
"""Reading and writing against libjq 1.8 (PyPI's `jq`): random texts, compact, sorted, indented, ASCII.

usage: reading.py FLOW [COUNT] [SEED]

Says how many texts were compared and which came out differently. Run by hand: `pip install jq` first.
"""
import random
import subprocess
import sys

import jq

flow = sys.argv[1]
count = int(sys.argv[2]) if len(sys.argv) > 2 else 20_000
rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)

PIECES = ["a", "b", "key", "é", "日本", "😀", r"\n", r"\"", r"\\", r"\/", r"\u00e9", r"\ud83d\ude00", r"\u0000", " ",
          "plain text that goes on", "\x7f", r"\u007f", r"\udc00", r"\u0061", "~"]
SPACES = ["", "", "", " ", "\n", "\t ", "\r\n"]


def space():
    return rng.choice(SPACES)


def string():
    return '"' + "".join(rng.choice(PIECES) for _ in range(rng.randint(0, 4))) + '"'


def number():
    kind = rng.randint(0, 9)
    if kind == 0:
        return str(rng.randint(-9, 9))
    if kind == 1:
        return str(rng.randint(-10**6, 10**6))
    if kind == 2:
        return repr(rng.uniform(-1000, 1000))
    if kind == 3:
        return str(rng.randint(-10**25, 10**25))
    if kind == 4:
        return repr(rng.uniform(-1, 1) * 10.0 ** rng.randint(-300, 300))
    if kind == 5:
        return rng.choice(["0", "-0", "0.0", "-0.00", "0e5", "0E-9", "0.0000000", "00", "-01.50", ".5", "5.", "+1"])
    if kind == 6:
        return rng.choice(["nan", "NaN", "-nan", "Infinity", "-Infinity", "infinity"])
    if kind == 7:
        return "%d.%de%d" % (rng.randint(0, 99), rng.randint(0, 10**rng.randint(0, 20)), rng.randint(-400, 400))
    if kind == 8:
        return "0." + "0" * rng.randint(0, 9) + str(rng.randint(0, 999))
    return "%d%s%d" % (rng.randint(1, 9), rng.choice(["E", "e+", "e-", "E00"]), rng.randint(0, 30))


def text(depth=0):
    kind = rng.randint(0, 4 if depth > 4 else 7)
    if kind == 0:
        return rng.choice(["null", "true", "false"])
    if kind in (1, 2):
        return number()
    if kind in (3, 4):
        return string()
    items = range(rng.randint(0, 4))
    if kind == 5:
        return "[" + ",".join(space() + text(depth + 1) + space() for _ in items) + "]"
    return "{" + ",".join(space() + string() + space() + ":" + space() + text(depth + 1) + space() for _ in items) + "}"


def damaged(valid):
    at = rng.randrange(len(valid))
    return valid[:at] + rng.choice(["", "]", "}", ",", ":", '"', "x", "1", "\\", "tru", "\x01", " "]) + valid[at + 1:]


def compare(name, texts, options, program):
    """One process for all texts, each an element of one array."""
    expected = jq.compile(program).input_text("[" + ",".join(texts) + "]").first()
    run = subprocess.run([flow, "eval", *options, "."], input="[" + ",".join(texts) + "]", capture_output=True,
                         text=True, errors="surrogatepass")
    got = run.stdout.rstrip("\n")
    if got == expected:
        return 0
    bad = 0
    for one in texts:
        expected = jq.compile(program).input_text("[" + one + "]").first()
        got = subprocess.run([flow, "eval", *options, "."], input="[" + one + "]", capture_output=True, text=True)
        if got.stdout.rstrip("\n") != expected:
            bad += 1
            if bad <= 5:
                print(f"{name}: {one!r}\n  jq   {expected!r}\n  flow {got.stdout!r} {got.stderr!r}")
    return bad


bad = 0
total = 0
while total < count:
    batch = [text() for _ in range(500)]
    total += len(batch)
    bad += compare("compact", batch, ["-c"], "tojson")
    bad += compare("sorted", batch, ["-c", "-S"], "def s: if type == \"object\" then "
                   "to_entries | sort_by(.key) | map(.value |= s) | from_entries elif type == \"array\" then map(s) "
                   "else . end; s | tojson")

mistakes = 0
check = jq.compile("try (fromjson | \"fine\") catch .")
for _ in range(count // 100):
    one = damaged(text())
    expected = check.input_value(one).first()
    run = subprocess.run([flow, "eval", "-s", "-c", "."],
                         input=one, capture_output=True, text=True)
    said = run.stderr.strip().removeprefix("flow: parse error: ")
    wanted = expected.split(" (while parsing ")[0]
    if wanted == "Unexpected extra JSON values":
        continue  # of several values, whatever may be wrong with the later ones
    if wanted in ("fine", "Expected JSON value"):
        wanted = ""
    if said != wanted:
        mistakes += 1
        if mistakes <= 5:
            print(f"mistake: {one!r}\n  jq   {wanted!r}\n  flow {said!r}")

print(f"{total} texts, {bad} written differently; {count // 100} damaged texts, {mistakes} explained differently")
sys.exit(1 if bad or mistakes else 0)
