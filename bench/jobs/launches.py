#!/usr/bin/env python3
"""Writes JSON lines that look like a launch API's answers: launches.py COUNT [LAUNCHES] > FILE

Half the records are new launches, three in ten are an earlier one with another date or status, two in ten repeat an
earlier one to the byte. With LAUNCHES, that many are new and the rest are those, as of a list that is polled. The same arguments always give the
same file; about 900 bytes a record.
"""
import json
import random
import sys

STATUSES = [("Go for Launch", "Go"), ("To Be Determined", "TBD"), ("To Be Confirmed", "TBC"),
            ("Launch Successful", "Success"), ("Launch Failure", "Failure"), ("On Hold", "Hold")]
PROVIDERS = ["Northern Orbital", "Lumen Launch Ltd", "Agência do Espaço", "Compagnie des Étoiles", "Red Dune Rockets"]
PADS = [("Pad 4", "Cape Reach, East Coast", "USA", 28.561941), ("Launch Complex 1", "Karaka Peninsula", "NZL", -39.2628),
        ("Zone 2", "Estuary Space Centre", "GUF", 5.2563), ("Site 31/6", "Steppe Cosmodrome", "KAZ", 45.9960)]
WORDS = ("a flock of satellites for imaging weather relay and science flies with student payloads to an orbit that passes "
         "every place at the same hour of the day where they stay for five years before they come down again").split()


def moment(rng):
    return "%04d-%02d-%02dT%02d:%02d:00Z" % (rng.randint(2024, 2028), rng.randint(1, 12), rng.randint(1, 28),
                                             rng.randint(0, 23), rng.randint(0, 59))


def status(rng):
    index = rng.choices(range(len(STATUSES)), [30, 25, 20, 20, 3, 2])[0]
    return {"id": index + 1, "name": STATUSES[index][0], "abbrev": STATUSES[index][1]}


def launch(rng, number):
    pad = rng.choice(PADS)
    mission = "Batch %d-%d" % (rng.randint(1, 20), rng.randint(1, 60))
    text = " ".join(rng.choice(WORDS) for _ in range(rng.randint(25, 70)))
    if number % 50 == 0:
        text += ' Called "the owl".\nA second line — naïve.'
    return {
        "id": "%08x-%04x-4%03x-a%03x-%012x" % tuple(rng.getrandbits(bits) for bits in (32, 16, 12, 12, 48)),
        "name": "Heron %d | %s" % (rng.randint(1, 9), mission), "net": moment(rng), "status": status(rng),
        "launch_service_provider": {"name": rng.choice(PROVIDERS), "type": "Commercial"},
        "rocket": {"configuration": {"full_name": "Heron %d Block B" % rng.randint(1, 9), "family": "Heron"}},
        "mission": {"name": mission, "description": text, "orbit": {"abbrev": rng.choice(["LEO", "SSO", "GTO", "TLI"])}},
        "pad": {"name": pad[0], "location": {"name": pad[1], "country_code": pad[2]}, "latitude": pad[3]},
        "probability": rng.choice([None, rng.randint(0, 100)]), "webcast_live": False,
        "vidURLs": [{"priority": 10 - index, "title": "Webcast %d" % index, "url": "https://video.example/%x" % rng.getrandbits(44)}
                    for index in range(rng.choice([0, 1, 1, 2]))],
    }


def main():
    rng = random.Random(7)
    count, launches = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else sys.maxsize
    known = []
    for number in range(count):
        draw = rng.random()
        if not known or draw < 0.5 and len(known) < launches:
            record = launch(rng, number)
            known.append(record)
        else:
            record = rng.choice(known)
            if draw < 0.65:
                record["net"] = moment(rng)
            elif draw < 0.8:
                record["status"] = status(rng)
        sys.stdout.write(json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
