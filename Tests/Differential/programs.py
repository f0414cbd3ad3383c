#!/usr/bin/env python3
"""Random programs over random inputs, in flow and in libjq 1.8, whose answers must be the same.

usage: programs.py [--count N] [--seed S] [--flow COMMAND] [--known]

Needs the `jq` package from PyPI, which carries libjq. Run by hand: `make differential`.
Prints each program whose outputs or error differ, and ends with how many there were. Four mistakes of libjq 1.8 are known
and counted apart: where it answers otherwise, it is asked again with a program that means the same and avoids them.
"""
import argparse, json, math, os, random, re, resource, subprocess, sys
from concurrent.futures import ThreadPoolExecutor

import jq

# The known mistakes, each with what avoids it. The generator writes the spellings of such a place into one text, between
# control characters; `spelled` picks one.
#   jqlang/jq#3227: `reduce` with several initial values finds its items in null from the second value on
#   jqlang/jq#3128: destructuring inside a path expression goes on from what it took apart
#   jqlang/jq#3592: `?//` takes a `break`, which is how limit, first and others stop, for an error
#   a global match of nothing goes on at the next byte: after each character beyond ASCII it finds a place twice
PLAIN, AVOIDING, WITHOUT_ALTERNATIVES = 0, 1, 2


def either(*spellings):
    return "\x01" + "\x02".join(spellings) + "\x03"


def spelled(text, which):
    return re.sub("\x01([^\x03]*)\x03", lambda place: (spellings := place[1].split("\x02"))[min(which, len(spellings) - 1)], text)


def reduce_(items, start, update):
    """`reduce`, or `reduce` over items that are looked for in a variable."""
    return (either("reduce ", "(. as $dot | reduce ($dot | ") + items + either("", ")") + f" as $x ({start}; {update})"
            + either("", ")"))


def destructured(items, patterns, body):
    """`items as patterns | body`, the same with the taking apart in an expression of its own, and with nothing but the
    taking apart deciding between alternatives."""
    names = sorted({name for pattern in patterns for name in re.findall(r"\$\w", pattern)})
    bind = " | ".join(f"$all[{number}] as {name}" for number, name in enumerate(names))
    parts = [f". as {pattern} | [{', '.join(name if name in pattern else 'null' for name in names)}]" for pattern in patterns]
    holders = ["$p1", "$p2", "$p3"][:len(patterns)]
    chosen, first = parts[-1], f"({parts[-1]})"
    for holder, part in reversed(list(zip(holders, parts))[:-1]):
        first = f"(. as $whole | try ({part}) catch ($whole | {first}))"
    take = f"({holders[-1]}[0] | {chosen})"
    for holder, part in reversed(list(zip(holders, parts))[:-1]):
        take = f"if {holder} then ({holder}[0] | {part}) else {take} end"
    return ("(" + either("", "((", "((") + items
            + either(" as " + " ?// ".join(patterns), f") | [.]) as {' ?// '.join(holders)} | {take} as $all | {bind}",
                     f") | {first}) as $all | {bind}")
            + f" | {body})")


GSUB_NOTHING = either('gsub("";"-")?', '(if type == "string" then [explode[] | "-" + ([.] | implode)] | add + "-" else gsub("";"-") end)?')

# Where flow differs on purpose, or jq depends on what the generator cannot fix: left out of the grammar below.
#   now, localtime, input, env, $__loc__ with files, halt: the environment
#   getpath and limit with absurd sizes, `@base32`: not in this libjq
UNARY = """length keys keys_unsorted values not type tostring tojson fromjson? tonumber? tonumber toarray_ add any all
 flatten floor sqrt sort unique min max reverse to_entries from_entries with_entries(.) transpose first last explode
 implode ascii_downcase ascii_upcase trim ltrim rtrim abs utf8bytelength isvalid_ tostream paths leaf_ arrays objects
 scalars strings numbers nulls booleans iterables finites normals isnan isinfinite infinite nan error empty recurse ..
 @text @json @csv @tsv @html @uri @sh @base64 @base64d @urid round ceil fabs trunc significand logb exp10 gamma frexp
 modf group_by(.) unique_by(type) min_by(.) max_by(.) sort_by(type) combinations? toboolean tojson|fromjson todate?
 gmtime? mktime? splits("a")? test("a")? [match("a";"g")?] [scan("[a-z]")?] debug_ getpath(["a"])? getpath([0])?
 keys|length map(.) map_values(.) walk(.) has("a")? has(0)? del(.[0])? del(.a)? del(..)? to_entries|from_entries
 input_line_number_ ltrimstr("a") rtrimstr("b") trimstr("a") startswith("a")? endswith("b")? split(",")? join(",")
 indices(1)? index("a")? rindex("a")? inside([1,2,"a"])? contains("a")? contains([1])? bsearch(1) fromstream(tostream)
 [limit(3;.[]?)] [skip(1;.[]?)] first(.[]?) nth(1;.[]?) until(true;.) [while(type=="number" and .<3;.+1)] isempty(.[]?)
 [.[]?|numbers] any(.[]?;.) all(.[]?;.) env_ splits_ ascii_ [range(3)] [range(.)?] tojson|length @json|@base64
 strftime("%Y-%m-%d")? strptime("%Y-%m-%d")? IN(1,2,"a") INDEX(.)? pick(.a)? pick(.[0])? [paths(type=="number")]
 truncate_stream(1;tostream)_ getpath(["a","b"])? [.[]?|tostring] abs? toarray_ have_decnum ltrimstr(1)? sub("a";"b")?
 gsub("[ab]";"<\\(.)>")? gsub("";"-")? gsub("(?<x>[a-z])";"\\(.x)\\(.x)")? capture("(?<n>[0-9]+)")? ascii_""".split()
UNARY = [u for u in UNARY if not u.endswith("_") and u != 'gsub("";"-")?'] + [GSUB_NOTHING]
PATHS = [".", ".a", ".b", ".a.b", ".[0]", ".[-1]", ".[1:]", ".[:2]", ".[-2:]", ".[]", ".[]?", ".a?", "..", ".a[]?", ".[0]?",
         '.["a"]', ".[1]?", ".a.b?", "first", "recurse(.[]?)", "(.a,.b)", ".[0,1]?", "select(type==\"object\")?", "getpath([\"a\",\"b\"])?",
         "(.a // .b)", "if type == \"array\" then .[0] else . end", "empty", "first(.[]?)", "limit(1;.[]?)", "paths?", "map(.)?", "error?",
         ".[{}]?", ".[\"a\",\"b\"]?", ".[1.5]?", ".[nan]?", ".[null]?", ".[true]?", ".[.[0]?]?", "(.. | numbers)", "select(.a?)", "to_entries?"]
BINARY = ["+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "and", "or", "//", ",", "|"]
ASSIGN = ["=", "|=", "+=", "-=", "*=", "/=", "%=", "//="]
LITERALS = ["null", "true", "false", "0", "1", "-1", "2", "1.5", "0.1", "1e3", "100000000000000000000", "\"a\"", "\"\"", "\"abc\"",
            "\"a,b\"", "\"é☃\"", "[]", "{}", "[1,2]", "[[1],[2]]", "{\"a\":1}", "{a:{b:2}}", "[null]", "\"1\"", "\"2015-03-05\"",
            "1425599621", "[1,[2,[3]]]", "{\"a\":[1,2],\"b\":null}", "nan", "infinite", "-0", "3.0", "1E2"]
VARIABLES = ["$x", "$y", "$z"]


class Generator:
    def __init__(self, seed):
        self.r = random.Random(seed)

    def value(self, depth=3):
        r = self.r
        kind = r.random()
        if depth == 0 or kind < 0.55:
            return r.choice([None, True, False, 0, 1, -1, 2, 3.5, 10, 1e17, "a", "b", "abc", "a,b", "", "12", "é☃", "aXbX", "2015-03-05",
                             r.randint(-5, 5), round(r.uniform(-10, 10), 2)])
        if kind < 0.78:
            return [self.value(depth - 1) for _ in range(r.randint(0, 4))]
        return {k: self.value(depth - 1) for k in r.sample(["a", "b", "c", "key", "value", "name"], r.randint(0, 4))}

    def expression(self, depth, scope=()):
        r = self.r
        if depth <= 0:
            pick = r.random()
            if scope and pick < 0.3:
                return r.choice(scope)
            return r.choice(PATHS) if pick < 0.65 else r.choice(LITERALS)
        sub = lambda d=1, s=scope: self.expression(depth - d, s)
        kind = r.randrange(26)
        if kind < 4:
            return r.choice(UNARY)
        if kind < 7:
            return f"({sub()} {r.choice(BINARY)} {sub()})"
        if kind < 10:
            return f"{sub()} | {sub()}"
        if kind == 10:
            return f"[{sub()}]"
        if kind == 11:
            return "{" + ", ".join(r.choice(["a: (%s)" % sub(), "(%s): 1" % sub(), "\"b\": (%s)" % sub(), "a", "\"a\"", "$__loc__"])
                                   for _ in range(r.randint(0, 3))) + "}"
        if kind == 12:
            return f"if {sub()} then {sub()} " + (f"elif {sub()} then {sub()} " if r.random() < .2 else "") + (f"else {sub()} end" if r.random() < .8 else "end")
        if kind == 13:
            return f"(try ({sub()}) catch {r.choice(['.', 'type', '1'])})"
        if kind == 14:
            return f"({sub()})?"
        if kind == 15:
            v = r.choice(VARIABLES)
            return f"({sub()} as {v} | {sub(1, scope + (v,))})"
        if kind == 16:
            patterns, names = r.choice([(["[$x, $y]"], ("$x", "$y")), (["{a: $x}"], ("$x",)), (["{$a, b: [$y]}"], ("$a", "$y")),
                                        (["[$x]", "$x"], ("$x",)), (["{a: $x}", "[$x]"], ("$x",)), (["{(\"a\",\"b\"): $x}"], ("$x",)),
                                        (["[[$x], {b: $y}]", "{a: $y}", "$x"], ("$x", "$y")), (["{$b: [$x]}"], ("$b", "$x"))])
            return destructured(sub(), patterns, sub(1, scope + names))
        if kind == 17:
            return reduce_(r.choice(['.[]?', 'range(3)', '(1,2)', self.primary(depth, scope)]), sub(), sub(1, scope + ('$x',)))
        if kind == 18:
            extract = f"; {sub(1, scope + ('$x',))}" if r.random() < .5 else ""
            return f"foreach {r.choice(['.[]?', 'range(3)', '(1,2)'])} as $x ({sub()}; {sub(1, scope + ('$x',))}{extract})"
        if kind == 19:
            return f"(label $out | {sub()} | if {sub()} then ., break $out else . end)"
        if kind == 20:
            target = r.choice(PATHS)
            return f"({target} {r.choice(ASSIGN)} ({sub()}))"
        if kind == 21:
            return f"({self.path(depth)} {r.choice(ASSIGN)} ({sub()}))"
        if kind == 22:
            return f"[path({self.path(depth)})]"
        if kind == 23:
            body = sub()
            return r.choice([f"(def f: {body}; f, f)", f"(def f(g): g | g; f({body}))", f"(def f($x): $x, {body}; f({sub()}))",
                             f"(def f(g; $x): [g, $x]; f({body}; {sub()}))",
                             f"(def f($n): if $n > 2 then . else ({body}), f($n + 1) end; [limit(9; f(0))])",
                             f"(def f: if type == \"array\" and length > 0 then .[0] | f else {body} end; f)"])
        if kind == 24:
            f = r.choice(["map(%s)", "select(%s)", "any(%s)", "all(%s)", "sort_by(%s)", "group_by(%s)", "unique_by(%s)", "min_by(%s)",
                          "max_by(%s)", "with_entries(%s)", "map_values(%s)", "del(%s)", "to_entries | map(%s)", "walk(%s)", "first(%s)",
                          "isempty(%s)", "limit(2; %s)", "[limit(3; repeat(%s))]", "[skip(1; %s)]", "add(%s)", "path(%s)", "[limit(9; recurse(%s; . != null))]",
                          "pick(%s)", "nth(1; %s)", "[limit(9; .[]? | until(true; %s))]", "error(%s)", "splits(%s)", "test(%s)",
                          "ltrimstr(%s)", "has(%s)", "contains(%s)", "inside(%s)", "index(%s)", "indices(%s)", "join(%s)", "flatten(%s)",
                          "getpath(%s)", "setpath([\"a\"]; %s)", "setpath([0]; %s)", "delpaths(%s)", "tojson | %s", "[range(%s; 3)]", "range(0; %s; 2)",
                          "combinations(2)?, %s", "bsearch(%s)", "split(%s)", "[limit(9; while(. != null and . < 4; %s))]", "in(%s)", "fromstream(%s)",
                          "[limit(5; truncate_stream(1; %s))]", "strftime(%s)", "INDEX(%s)", "IN(%s)", "paths(%s)", "@base64d, %s", "implode, %s",
                          "pow(%s; 2)", "ldexp(%s; 2)", "atan2(1; %s)", "fmin(%s; 3)", "splits(\"a\"; %s)", "sub(\"a\"; %s)", "gsub(\"\\\\s\"; %s)", "[match(\"(a)|(?<n>b)\"; %s)]"])
            return "(" + f % sub() + ")"
        return r.choice(['"x\\(%s)y"', '@json "v\\(%s)"', '@sh "\\(%s)"', '@csv "\\([%s])"', '"\\(%s)\\(1,2)"', "-(%s)", ".[%s]?", ".[%s:]?", ".[:%s]?", "[.[]?|%s]"]) % sub()

    def primary(self, depth, scope):
        return "(" + self.expression(depth - 2, scope) + ")"

    def path(self, depth):
        r = self.r
        parts = [r.choice(PATHS) for _ in range(r.randint(1, 3))]
        kind = r.random()
        if kind < .4:
            return "(" + " | ".join(parts) + ")"
        if kind < .5:
            return f"(.[]? | select({self.expression(depth - 2)}))"
        if kind < .57:
            return f"(if {self.expression(depth - 2)} then {parts[0]} else {parts[-1]} end)"
        if kind < .64:
            return f"({parts[0]} as $p | {parts[-1]})"
        if kind < .72:
            return reduce_("(0,1)", ".", parts[0])
        return f"({self.expression(depth - 1)})"


def canonical(text):
    """JSON text with numbers as doubles and members in order of their names: two spellings of one value become one."""
    def number(s):
        x = float(s)
        return "Infinity" if x == math.inf else repr(x + 0.0)
    try:
        value = json.loads(text, parse_int=number, parse_float=number)
    except ValueError:
        return text
    return json.dumps(value, sort_keys=True)


def oracle(program, text):
    """libjq's answer, from a process of its own: what loops for ever or takes all memory is given up on."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        resource.setrlimit(resource.RLIMIT_CPU, (2, 2))
        resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
        with os.fdopen(writer, "w") as out:
            json.dump(ask(program, text), out)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as answer:
        answer = answer.read()
    os.waitpid(child, 0)
    return json.loads(answer) if answer else "gave up"


def ask(program, text):
    try:
        compiled = jq.compile(program)
    except ValueError:
        return None
    outputs = []
    try:
        for value in compiled.input_text(text):
            outputs.append(json.dumps(value, sort_keys=True))
            if len(outputs) > 300:
                return outputs, "too many"
    except ValueError as error:
        return outputs, str(error)
    return outputs, None


def flow(command, program, text):
    try:
        p = subprocess.run(command + ["-c", " " + program], input=text.encode(), capture_output=True, timeout=20)
    except subprocess.TimeoutExpired:
        return [], "timed out"
    outputs = [canonical(line) for line in p.stdout.decode("utf-8", "replace").splitlines()]
    error = p.stderr.decode("utf-8", "replace").strip()
    if p.returncode < 0:
        return outputs, f"killed by signal {-p.returncode}"
    if p.returncode == 3:
        return None
    # `flow: error (at <stdin>:1): message`, then the place in the program with a caret, which libjq does not say.
    error = re.sub(r"\n {4}.*\n {4} *\^+$", "", error)
    return outputs, error.partition("):")[2].lstrip(" ") if error else None


def same(a, b):
    if a == "gave up":
        return True
    if a is None or b is None:
        return a is b
    if a[1] == "too many":
        return b[1] == "timed out" or a[0][:300] == b[0][:300]
    plain = lambda outputs: [canonical(o) for o in outputs]
    if plain(a[0]) != plain(b[0]):
        return False
    if a[1] is None or b[1] is None:
        return a[1] is b[1]
    return canonical(a[1]) == canonical(b[1]) or "not a string" in b[1]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--flow", default=".build/release/flow eval")
    parser.add_argument("--known", action="store_true", help="print the known differences too")
    options = parser.parse_args()
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(1 << 30)
    command = options.flow.split()
    generator = Generator(seed)
    cases = []
    for _ in range(options.count):
        cases.append((generator.expression(generator.r.randint(1, 4)), json.dumps(generator.value(), ensure_ascii=False)))
    different = refused = known = 0
    with ThreadPoolExecutor(2) as pool:
        answers = pool.map(lambda case: flow(command, spelled(case[0], PLAIN), case[1]), cases)
        for (written, text), answer in zip(cases, answers):
            # A libjq that loops for ever cannot be stopped: the grammar bounds its generators.
            program = spelled(written, PLAIN)
            expected = oracle(program, text)
            refused += expected is None and answer is None
            if same(expected, answer):
                continue
            others = {spelled(written, AVOIDING)}
            if "?//" in program and re.search("break|limit|first|nth|isempty|any|all|until|IN", program):
                others.add(spelled(written, WITHOUT_ALTERNATIVES))
            is_known = any(same(oracle(other, text), answer) for other in others - {program})
            known += is_known
            different += not is_known
            if not is_known or options.known:
                name = "  known difference\n" if is_known else ""
                print(flush=True, end=f"{program}\n{name}  over   {text}\n  libjq  {expected}\n  flow   {answer}\n")
    print(f"seed {seed}: {len(cases)} programs, {refused} refused by both, {known} with a known mistake of libjq, "
          f"{different} with another answer")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
