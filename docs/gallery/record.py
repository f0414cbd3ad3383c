#!/usr/bin/env python3
"""Records the week of the gallery: python3 docs/gallery/record.py FLOW, into pipelines/recordings.

The pipelines are the shipped ones. The shops, feeds, pages and tables that they read are made here, by chance with a fixed
seed, and served on this machine; commands are stand-ins that print what is made here; the pictures are those of the
simulated sky. Each poll is a run with --once, whose time is replaced by that of the week, and addresses of this machine
by those that the pipeline has. What is written is the same each time.
"""
import http.server
import json
import os
import pathlib
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
from datetime import datetime, timedelta, timezone

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PIPELINES = ROOT / "pipelines"
MONDAY = datetime(2026, 3, 2, tzinfo=timezone.utc)
ANSWERS = {}  # by path: (status, content type, text)


class Services(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        status, kind, text = ANSWERS.get(self.path, (404, "text/plain", "there is no such page"))
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *rest):
        pass


def every(hours, days=7):
    return [MONDAY + timedelta(hours=hour) for hour in range(0, 24 * days, hours)]


def stamp(time):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ")


class Recorder:
    def __init__(self, flow, work, port):
        self.flow, self.work, self.base = os.path.abspath(flow), work, f"http://127.0.0.1:{port}"
        (work / "bin").mkdir()

    def command(self, name, text, status=0):
        """A stand-in for a program, which prints a text."""
        (self.work / f"{name}.txt").write_text(text)
        script = self.work / "bin" / name
        script.write_text(f"#!/bin/sh\ncat '{self.work}/{name}.txt'\nexit {status}\n")
        script.chmod(0o755)

    def record(self, name, times, prepare, *options):
        """The polls of a pipeline at these times; `prepare` makes what the services answer at each."""
        copy = self.work / name
        shutil.copytree(PIPELINES / "lib", copy / "lib")
        text = re.sub(r"https://", self.base + "/", (PIPELINES / f"{name}.yaml").read_text())
        (copy / "p.yaml").write_text(text)
        lines = {}
        for time in times:
            prepare(time)
            shutil.rmtree(copy / "rec", ignore_errors=True)
            environment = {"PATH": f"{self.work}/bin:/usr/bin:/bin", "HOME": str(self.work), "TZ": "UTC"}
            subprocess.run(
                [self.flow, "run", "-q", "--once", "--no-state", "--dry-run", "--record", "rec", *options, "p.yaml"],
                cwd=copy, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
            for path in (copy / "rec").glob("*.jsonl"):
                polls = [json.loads(line) for line in path.read_text().replace(self.base + "/", "https://").splitlines()]
                # Entries of a list come in any order.
                polls.sort(key=lambda poll: json.dumps(poll.get("meta", {}).get("entry", "")))
                for poll in polls:
                    poll["at"] = stamp(time)
                    lines.setdefault(path.name, []).append(json.dumps(poll, ensure_ascii=False, separators=(",", ":")))
        self.write(name, lines)

    def write(self, name, files):
        folder = PIPELINES / "recordings" / name
        folder.mkdir(parents=True, exist_ok=True)
        for file, lines in files.items():
            (folder / file).write_text("\n".join(lines) + "\n")
            print(f"{name}/{file}: {len(lines)} polls, {(folder / file).stat().st_size} bytes")


def prices(recorder):
    chance = random.Random(12)
    pages = re.findall(r'shop: (\w+), page: "https://([^"]+)"', (PIPELINES / "price-alarms.yaml").read_text())
    now = {shop: chance.randint(98, 129) for shop, _ in pages}

    def prepare(time):
        for index, (shop, page) in enumerate(pages):
            if chance.random() < 0.08:
                now[shop] = max(89, now[shop] + chance.choice([-15, -8, -5, 4, 9, 12]))
            form = ["{},90 €", "€ {}.90", "{},90 EUR"][index % 3].format(now[shop])
            html = f'<!doctype html><title>{shop}</title><h1>Desk lamp</h1><p class="price">{form}</p>'
            ANSWERS["/" + page] = (200, "text/html; charset=utf-8", html)
        if time.day == 5 and time.hour < 12:
            ANSWERS["/birch.example/p/4711"] = (404, "text/html", "moved")

    recorder.record("price-alarms", every(6), prepare)


def services(recorder):
    chance = random.Random(3)
    usual = {"www.example.org/": 80, "mail.example.org/health": 40, "photos.example.org/api/ping": 130,
             "music.example.org/": 60, "backup.example.org/last": 210}
    script = recorder.work / "bin" / "curl"

    def prepare(time):
        cases = []
        for address, usually in usual.items():
            code, status, ms = 0, 200, usually * chance.uniform(0.8, 1.5)
            if address.startswith("photos") and time.day == 4 and 10 <= time.hour < 19:
                code, status, ms = 28, 0, 10001
            elif address.startswith("photos") and time.day == 4 and time.hour < 10:
                ms *= 5
            elif address.startswith("backup") and (time.day, time.hour) >= (7, 3):
                status = 503
            elif address.startswith("mail") and time.day == 6 and time.hour == 12:
                code, status, ms = 7, 0, 2
            answer = json.dumps({"status": status, "seconds": round(ms / 1000, 6), "exit": code})
            cases.append(f"*{address}) echo '{answer}'; exit {code};;")
        script.write_text('#!/bin/sh\nfor last; do :; done\ncase $last in\n' + "\n".join(cases) + "\nesac\n")
        script.chmod(0o755)

    recorder.record("status-page", every(3), prepare)
    script.unlink()


def releases(recorder):
    first = {"jqlang/jq": "jq 1.8.1", "sqlite/sqlite": "3.51.2", "curl/curl": "8.18.0", "git/git": "v2.53.0",
             "swiftlang/swift": "Swift 6.2.3 Release"}
    come = [(1, "curl/curl", "8.19.0-rc2"), (2, "git/git", "v2.53.1"), (3, "curl/curl", "8.19.0"),
            (3, "sqlite/sqlite", "3.51.3"), (5, "swiftlang/swift", "Swift 6.2.4 Release"), (5, "jqlang/jq", "jq 1.8.2")]

    def prepare(time):
        for tool, name in first.items():
            names = [new for day, of, new in come if of == tool and time >= MONDAY + timedelta(days=day, hours=14)]
            entries = "".join(
                f"<entry><id>tag:github.com,2008:{tool}/{new.split()[-1]}</id><title>{new}</title>"
                f'<link href="https://github.com/{tool}/releases/{new.split()[-1]}"/></entry>'
                for new in names[::-1] + [name])
            feed = f'<feed xmlns="http://www.w3.org/2005/Atom"><title>Releases of {tool}</title>{entries}</feed>'
            ANSWERS[f"/github.com/{tool}/releases.atom"] = (200, "application/atom+xml", feed)

    recorder.record("tool-releases", every(12), prepare)


def earthquakes(recorder):
    chance = random.Random(8)
    places = [("south of the Fiji Islands", -24.1, -179.9), ("Banda Sea", -6.2, 129.7), ("offshore Coquimbo, Chile", -30.4, -71.8),
              ("Hindu Kush region, Afghanistan", 36.5, 70.9), ("near the east coast of Honshu, Japan", 38.1, 142.3),
              ("Kermadec Islands region", -30.9, -178.1), ("Andreanof Islands, Aleutian Islands, Alaska", 51.4, -175.6),
              ("central Mid-Atlantic Ridge", 0.9, -29.4)]
    quakes = []
    time = MONDAY - timedelta(hours=20)
    while time < MONDAY + timedelta(days=7):
        place, latitude, longitude = chance.choice(places)
        quakes.append([time, f"{latitude + chance.uniform(-1, 1):.3f}", f"{longitude + chance.uniform(-1, 1):.3f}",
                       f"{chance.choice([10, 33, 48, 110, 540])}", round(3.7 + chance.expovariate(1.3), 1), place,
                       f"us7000{len(quakes) + 100:04x}"])
        time += timedelta(minutes=chance.randint(180, 900))

    def prepare(time):
        rows = []
        for at, latitude, longitude, depth, mag, place, name in reversed(quakes):
            if time - timedelta(days=1) < at <= time:
                # The first magnitude of a strong one is corrected after some hours.
                shown = mag - 0.3 if mag >= 5 and time - at < timedelta(hours=5) else mag
                rows.append(f'{stamp(at)},{latitude},{longitude},{depth},{shown:.1f},"{place}",{name}')
        table = "time,latitude,longitude,depth,mag,place,id\n" + "\n".join(rows) + "\n"
        ANSWERS["/earthquake.usgs.gov/earthquakes/feed/v1.0/summary/2.5_day.csv"] = (200, "text/csv", table)

    recorder.record("earthquakes", every(3), prepare)


def launches(recorder):
    """The list of the recording of launches, as its service answers."""
    polls = [json.loads(line) for line in (PIPELINES / "recordings/upcoming.jsonl").read_text().splitlines()]
    polls = {datetime.fromisoformat(poll["at"].replace("Z", "+00:00")): poll for poll in polls}

    def prepare(time):
        poll = polls[time]
        answer = json.dumps({"count": len(poll.get("rows", [])), "next": None, "results": poll.get("rows")})
        path = "/ll.thespacedevs.com/2.3.0/launches/upcoming/?limit=100&mode=list"
        ANSWERS[path] = (200, "application/json", answer) if "rows" in poll else (400, "text/plain", "no")

    recorder.record("git-scrape", list(polls), prepare)


def disks(recorder):
    chance = random.Random(5)
    used = {"/": 46.0, "/srv": 84.0}

    def prepare(time):
        used["/"] += chance.uniform(-0.2, 0.3)
        used["/srv"] = 71.0 if time.day == 7 and time.hour == 9 else used["/srv"] + chance.uniform(0, 0.4)
        lines = ["Filesystem     1024-blocks      Used Available Capacity Mounted on"]
        for device, mount, size in [("/dev/sda1", "/", 59_000_000), ("/dev/sdb1", "/srv", 960_000_000)]:
            taken = int(size * used[mount] / 100)
            lines.append(f"{device}      {size:>9} {taken:>9} {size - taken:>9}      {used[mount]:.0f}% {mount}")
        recorder.command("df", "\n".join(lines) + "\n")

    recorder.record("home-assistant", every(3), prepare)


def orders(recorder):
    chance = random.Random(7)
    path = recorder.work / "shop.db"
    table = sqlite3.connect(path)
    table.execute("create table orders (id integer primary key, customer text, status text, total real)")
    steps = {"open": "paid", "paid": "sent", "sent": "sent"}
    table.executemany("insert into orders values (?, ?, ?, ?)",
                      [(101, "Ada", "paid", 49.9), (102, "Grace", "open", 12.5)])

    def prepare(time):
        if time != MONDAY:
            for number, status in table.execute("select id, status from orders").fetchall():
                if chance.random() < 0.15:
                    table.execute("update orders set status = ? where id = ?", (steps[status], number))
            if chance.random() < 0.2:
                table.execute("insert into orders (customer, status, total) values (?, 'open', ?)",
                              (chance.choice(["Ada", "Edsger", "Barbara", "Niklaus"]), chance.randint(50, 900) / 10))
            if time.day == 6 and time.hour == 12:
                table.execute("delete from orders where id = 102")
        table.commit()

    recorder.record("orders-to-webhook", every(6), prepare, "--set", f"database=sqlite:{path}")
    table.close()


def journal(recorder):
    entries = [
        (0, 2, "nginx.service", "open() \"/srv/www/favicon.ico\" failed (2: No such file or directory)"),
        (0, 2, "nginx.service", "open() \"/srv/www/robots.txt\" failed (2: No such file or directory)"),
        (1, 3, "backup.service", "repository is already locked by PID 4711"),
        (2, 14, "kernel", "ata3.00: failed command: READ FPDMA QUEUED"), (2, 14, "kernel", "ata3.00: status: { DRDY ERR }"),
        (2, 15, "kernel", "I/O error, dev sdb, sector 181034176 op 0x0:(READ)"),
        (4, 3, "backup.service", "Fatal: unable to open repository: connection refused"),
        (5, 20, "postgresql@15-main.service", "FATAL: the database system is shutting down"),
    ]

    def prepare(time):
        lines = [json.dumps({"__CURSOR": f"s=8a1;i={number + 1}", "_HOSTNAME": "attic", "PRIORITY": "3", "MESSAGE": text,
                             **({"_SYSTEMD_UNIT": unit} if "." in unit else {"SYSLOG_IDENTIFIER": unit})})
                 for number, (day, hour, unit, text) in enumerate(entries)
                 if time - timedelta(hours=1) <= MONDAY + timedelta(days=day, hours=hour) <= time]
        recorder.command("journalctl", "".join(line + "\n" for line in lines))

    recorder.record("journal-errors", every(1), prepare)


def news(recorder):
    items = [(-9, "Library closed on Friday", "The library is closed for stocktaking."),
             (-4, "Bridge Street: one lane", "Until the end of the month."), (-1, "Market moves to the square", "From Saturday on."),
             (1, "Swimming pool opens again", "After the repair of the roof."), (2, "Water meters are read", "In the north of the town."),
             (4, "Council meets on Tuesday", "The agenda is at the town hall."), (6, "Trees are pruned in the park", "")]

    def prepare(time):
        shown = [item for item in items if MONDAY + timedelta(days=item[0], hours=9) <= time][::-1][:4]
        html = "".join(f'<article><h2>{title}</h2><a href="/news/{day + 20}">more</a>' + (f"<p>{text}</p>" if text else "")
                       + "</article>" for day, title, text in shown)
        ANSWERS["/town.example/news"] = (200, "text/html; charset=utf-8", f"<!doctype html><title>News</title>{html}")

    recorder.record("page-to-feed", every(12), prepare)


def pictures(recorder):
    folder = recorder.work / "rec"
    subprocess.run(
        [recorder.flow, "run", "-q", "--sky", "--once", "--no-state", "--set", "days=7", "--record", folder,
         "--out", recorder.work / "out", PIPELINES / "apod-album.yaml"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={"PATH": "/usr/bin:/bin", "HOME": str(recorder.work)}, check=True)
    # The sky begins with this year; how long the start took is no part of the recording.
    lines = [re.sub(r'^{"at":"[^"]+"', '{"at":"2026-01-01T00:00:00Z"', line) for line in (folder / "pictures.jsonl").read_text().splitlines()]
    recorder.write("apod-album", {"pictures.jsonl": lines})


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Services)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as work:
        recorder = Recorder(sys.argv[1], pathlib.Path(work), server.server_port)
        chosen = sys.argv[2:]
        for make in [prices, services, releases, earthquakes, launches, disks, orders, journal, news, pictures]:
            if not chosen or make.__name__ in chosen:
                make(recorder)
    server.shutdown()


if __name__ == "__main__":
    main()
