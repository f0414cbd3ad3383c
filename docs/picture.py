#!/usr/bin/env python3
"""Draws the output of a command on a terminal as an SVG: python3 docs/picture.py > docs/new-launches.svg

Runs new-launches under the simulated sky in a terminal of its own, and draws its last lines with their colours. The
pictures of the gallery are drawn by it, too.
"""
import html
import os
import pty
import re
import sys

COLUMNS, ROWS = 130, 22
FLOW = os.environ.get("FLOW", ".build/release/flow")
SHOWN = "flow run new-launches --sky --speed 21600 --quiet"
COMMAND = [FLOW, *SHOWN.replace("new-launches", "pipelines/new-launches.yaml").split()[1:], "--for", "45s", "--no-state"]
COLORS = {31: "#f47067", 32: "#6bc46d", 33: "#daaa3f", 34: "#6cb6ff", 35: "#dcbdfb", 36: "#76e3ea"}
WIDTH, HEIGHT = 8.4, 19  # of a character


def output(command):
    """What a command writes to its terminal."""
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update(TERM="xterm-256color", COLUMNS=str(COLUMNS), LINES=str(ROWS))
        os.execvp(command[0], command)
    os.set_blocking(terminal, True)
    text = b""
    try:
        while piece := os.read(terminal, 65536):
            text += piece
    except OSError:
        pass  # the command has ended
    status = os.waitpid(child, 0)[1]
    if status != 0:
        sys.exit(f"{command}: {os.waitstatus_to_exitcode(status)}\n{text.decode()}")
    return text.decode().replace("\r", "")


def rows(line):
    """The rows that a line takes, each of pieces that have one style."""
    color, weight = "#adbac7", "normal"
    taken, room = [[]], COLUMNS
    for part in re.split(r"(\x1b\[[0-9;]*m)", line):
        if part.startswith("\x1b["):
            for code in (int(code or 0) for code in part[2:-1].split(";")):
                if code == 0:
                    color, weight = "#adbac7", "normal"
                elif code == 1:
                    weight = "bold"
                elif code == 2:
                    color = "#768390"
                else:
                    color = COLORS.get(code, color)
            continue
        while part:
            if room == 0:
                taken.append([])
                room = COLUMNS
            taken[-1].append((part[:room], color, weight))
            part, room = part[room:], max(0, room - len(part))
    return taken


def drawing(lines):
    lines = [row for line in lines for row in rows(line)]
    width, height = COLUMNS * WIDTH + 40, (len(lines) + 1) * HEIGHT + 50
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" width="{width:.0f}">'
    yield f'<rect width="100%" height="100%" rx="10" fill="#22272e"/>'
    for number, color in enumerate(("#f47067", "#daaa3f", "#6bc46d")):
        yield f'<circle cx="{24 + number * 20}" cy="20" r="6" fill="{color}"/>'
    yield '<g font-family="ui-monospace, Menlo, Consolas, DejaVu Sans Mono, monospace" font-size="14">'
    for number, line in enumerate(lines):
        row = "".join(
            f'<tspan fill="{color}" font-weight="{weight}">{html.escape(text, quote=False)}</tspan>'
            for text, color, weight in line
        )
        yield f'<text x="20" y="{54 + number * HEIGHT}" xml:space="preserve">{row}</text>'
    yield "</g></svg>"


if __name__ == "__main__":
    shown = [line for line in output(COMMAND).split("\n") if line]
    lines = [f"\x1b[1m$ {SHOWN}\x1b[0m", *shown]
    while sum(len(rows(line)) for line in lines) > ROWS:
        lines.pop()
    print("\n".join(drawing(lines)))
