#!/usr/bin/env python3
"""Writes docs/gallery.md and its pictures: python3 docs/gallery/draw.py FLOW

What a pipeline does is its own description, what it said is what a replay of its recording prints, and the pictures are
those of a terminal, or of the page in Chromium. DocumentsTests runs the commands of the page again, and compares.
"""
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "docs"))
import picture  # noqa: E402

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
REPLAY = "flow run --replay recordings/{0} {0}"
SHOWING = "flow run --replay recordings/{0} --state week {0}"
SENDING = "flow run --replay recordings/{0} --dry-run {0}"
PHONE = "NOTIFY_TO=ntfy://ntfy.sh/YOUR-TOPIC flow run {0}"
# Title, pipeline, commands on the recording, that for the real thing, and the view of the page that is its picture.
ENTRIES = [
    ("Rocket launches, to a phone", "phone", ["flow run --replay recordings --dry-run phone"], PHONE, None),
    ("Price alarms over twelve shops", "price-alarms", [SHOWING], PHONE, "page"),
    ("A status page of your services", "status-page", [SHOWING], "flow run --page status-page", "page"),
    ("Releases of the tools that you use", "tool-releases", [SENDING], PHONE, None),
    ("Earthquakes on a page", "earthquakes", [SHOWING], "flow run --page earthquakes", "page"),
    ("A list in git, with its history", "git-scrape",
     ["git init --quiet data && git -C data config user.name me && git -C data config user.email me@example.org",
      "flow run --quiet --replay recordings/git-scrape --live-sinks git-scrape",
      "git -C data log --reverse --date=format:%Y-%m-%dT%H:%M --format='%ad  %s'"],
     "git init data && flow run git-scrape", None),
    ("The disks of a machine in Home Assistant", "home-assistant", [SENDING],
     "MQTT_PASSWORD=… flow run --set server=mqtt://homeassistant.local --set user=flow home-assistant", None),
    ("Changes of a PostgreSQL table, to a webhook", "orders-to-webhook", [SENDING],
     "HOOK_TOKEN=… flow run --set database=postgres://flow@localhost/shop --set hook=https://example.org/hook orders-to-webhook", None),
    ("Errors of a log, to a chat", "journal-errors", [SENDING], "CHAT=telegram://TOKEN/CHAT flow run journal-errors", None),
    ("A calendar that reminds", "launch-calendar",
     ["flow run --quiet --replay recordings launch-calendar",
      "grep -E '^(DTSTART|SUMMARY|TRIGGER|STATUS)' out/replay/launches.ics | tr -d '\\r'"], "flow run launch-calendar", None),
    ("A feed of a page that has none", "page-to-feed",
     [REPLAY, "grep -c '<entry>' out/replay/news.atom"],
     "flow run --set page=https://example.org/news --set items=article page-to-feed", None),
    ("An album of pictures", "apod-album", [SHOWING], "flow run --page --page-pictures apod-album", "album"),
]
HEAD = """# Gallery

<!-- Written by docs/gallery/draw.py: change that, or the pipelines, and run make gallery. -->

Twelve pipelines as people have them. Each is one file, with tests, that comes with flow, and each has a week that was
recorded, so that you can see what it says before it runs for you: `--replay` runs the week in a second, without a
network. Nothing is sent in a replay. Where a pipeline sends, `--dry-run` prints what it would have sent, as commands.

To have one, copy it and change the addresses: `flow new --from price-alarms -o mine.yaml`. The real one then is
`flow run mine.yaml`, on a terminal or as a service (`flow install-service mine.yaml`).

The recordings are of services that are made up (`docs/gallery/record.py`) and of the simulated sky; a test runs all twelve
and compares them with this page. What is printed is shown as a terminal has it, but for its last line, which says how
much it was: `price-alarms: completed after 6d 18h: 334 events, 339 outputs`. In a file or pipe each message has the time before
it, and there is no such line.
"""


def place(flow, folder):
    """A folder with flow and its pipelines as make install leaves them, and the environment to use them."""
    (folder / "bin").mkdir()
    (folder / "bin/flow").symlink_to(os.path.abspath(flow))
    (folder / "share/flow").mkdir(parents=True)
    (folder / "share/flow/pipelines").symlink_to(ROOT / "pipelines")
    (folder / "work").mkdir()
    os.chdir(folder / "work")
    names = {f"GIT_{who}_{what}": text for who in ["AUTHOR", "COMMITTER"]
             for what, text in [("NAME", "flow"), ("EMAIL", "flow@example.org")]}
    os.environ.update(PATH=f"{folder}/bin:/usr/bin:/bin", HOME=str(folder), TZ="UTC", GIT_PAGER="cat", XDG_DATA_DIRS=str(folder / "share"), **names)


def printed(command):
    result = subprocess.run(["bash", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True)
    lines = [re.sub(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ (?=[\w/-]+: )", "", line) for line in result.stdout.splitlines()]
    return [re.sub(r"(“.*” is the pipeline ).*(/pipelines/)", r"\1…\2", line) for line in lines]


def drawn(name, commands):
    """The picture of a terminal."""
    lines = []
    for command in commands:
        lines.append(f"\x1b[1m$ {command}\x1b[0m")
        lines += [line for line in picture.output(["bash", "-c", f"{command} 2>&1"]).split("\n")
                  if line and "is the pipeline" not in line]
    if len(lines) > 16:
        lines = lines[:15] + ["…"]
    (ROOT / f"docs/gallery-{name}.svg").write_text("\n".join(picture.drawing(lines)) + "\n")
    return f"![What {name} says in a terminal](gallery-{name}.svg)"


def shot(name, view):
    """The picture of a page, at the end of the recorded week."""
    if view == "album":
        return '<img alt="The album of astronomy pictures under the simulated sky" src="page-album-light.png">'
    run = subprocess.Popen(["flow", "page", "--state", "week", "--at", "127.0.0.1:0", name],
                           stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    url = next(line.split("page: ")[1].strip() for line in run.stderr if "page: http" in line)
    height = {"price-alarms": 640, "status-page": 420, "earthquakes": 360}[name]
    subprocess.run(
        [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--window-size=900,{height}",
         "--timeout=4000", f"--screenshot={ROOT}/docs/gallery-{name}.png", f"{url}v/{name}/{view}"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    run.send_signal(signal.SIGTERM)
    run.wait(20)
    return f'<img alt="The page of {name} at the end of the week" src="gallery-{name}.png">'


def section(number, title, name, commands, real, view):
    commands = [command.format(name) for command in commands]
    description = re.search(r"^description: (.+)$", (ROOT / f"pipelines/{name}.yaml").read_text(), flags=re.M)[1]
    image = None if view else drawn(name, commands)
    subprocess.run("rm -rf out data week", shell=True, check=True)
    transcript = [line for command in commands for line in [f"$ {command}", *printed(command)]]
    acting = ", for once with its sinks at work (`--live-sinks`), in a new repository" if "--live-sinks" in str(commands) else ""
    yield f"## {number}. {title}\n"
    yield f"{description} [`pipelines/{name}.yaml`](../pipelines/{name}.yaml)\n"
    yield f"{image or shot(name, view)}\n\nWhat it said in the recorded week{acting}:\n"
    yield "```console\n" + "\n".join(transcript) + "\n```\n"
    if view:
        yield f"```sh no-test (runs until it is stopped)\nflow page --state week {name}     # the page of that week\n```\n"
    yield f"The real thing:\n\n```sh no-test (runs until it is stopped)\n{real.format(name)}\n```\n"


def main():
    with tempfile.TemporaryDirectory() as folder:
        place(sys.argv[1], pathlib.Path(folder))
        parts = [HEAD]
        for number, entry in enumerate(ENTRIES, 1):
            parts += section(number, *entry)
            print(entry[1])
        (ROOT / "docs/gallery.md").write_text("\n".join(parts))
        os.chdir("/")


if __name__ == "__main__":
    main()
