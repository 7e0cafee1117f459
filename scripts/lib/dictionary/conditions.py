"""Conditions from the tabular list of ICD-10-CM, with what people call them, and the chronic indicator."""
import csv
import re
import xml.etree.ElementTree as xml

from fold import fold
from own import read

# Codes of circumstances, not of conditions: external causes, and factors that influence health status.
LEFT_OUT_CHAPTERS = set("VWXYZ")
# What is named under a neoplasm is often the site alone, and "aortic arch" is no condition.
NEOPLASM = re.compile(r"cancer|neoplas|tumou?r|sarcoma|oma\b|omas\b|leuka?emia|disease|syndrome|histiocyt|polycyth|osis\b|plasia\b|polyp")
# Words that everybody uses are no condition by themselves, unless they end like one.
MEDICAL_END = re.compile(r"(itis|osis|emia|uria|algia|oma|pathy|plegia|iasis|opia|phasia|cele|asthenia|rrhea|rrhagia|penia|cardia|pnea|trophy|lysis)$")
LEFT_OUT = re.compile(
    r"\b(other|others|elsewhere|classified|classifiable|right|left|bilateral|unilateral|sequela|sequelae|encounter|subsequent|initial|complicating|in diseases|"
    r"trimester|postprocedural|intraoperative|exposure|underdosing|poisoning|adverse effect|code|see|without|not |multiple and|"
    r"unspecified whether|fetus|following|screening|examination|observation|status|due to|during|resulting|associated with|any |"
    r"specified|undetermined|assault|self-harm|accidental)\b"
)
UNSPECIFIED = [
    r",? unspecified (organism|type|site|part|eye|ear|knee|hip|shoulder|hand|foot|ankle|wrist|elbow|side|limb|region|degree|severity|cause|form|"
    r"location|joint|breast|lower extremity|upper extremity|leg|arm|finger|toe|lung|ovary|kidney|level|ureter|bronchus or lung|origin)\b",
    r", unspecified\b", r" unspecified$", r"^unspecified ", r", so stated$", r"\bnos\b", r"\bnec\b",
    r" without complications?$", r", uncomplicated$", r", not intractable", r", with(out)? status migrainosus", r" without angina pectoris$",
]


def conditions(package, indicator, everyday):
    """Rows of conditions.tsv: name, code, chronic or not, phrases."""
    chronic = chronic_by_code(indicator)
    tree = xml.parse(next((package / "simple_icd_10_cm/data").glob("*.xml"))).getroot()
    codes = {diagnosis.findtext("name"): diagnosis for diagnosis in tree.iter("diag")}
    taken, records = {}, []

    def add(name, code, phrases):
        free = sorted({phrase for phrase in phrases if phrase and taken.setdefault(phrase, len(records)) == len(records)})
        # The first phrase of a record is its name, so a record whose name another has is not made.
        if free and taken.get(fold(name)) == len(records):
            records.append([name, code, chronic(code), "" if free == [name] else ";".join(free)])

    for name, code, synonyms in (row + [""] * (3 - len(row)) for row in read("conditions")):
        if code not in codes and code[:-1].rstrip("X") not in codes:
            raise SystemExit(f"own/conditions.tsv: {name} has the code {code}, which ICD-10-CM does not have.")
        add(name, code, {fold(text) for text in [name, *synonyms.split(";")]})
    denied = {fold(row[0]) for row in read("not_conditions")}
    allowed = {fold(row[0]) for row in read("conditions_though_everyday")}
    for code, name, phrases in candidates(codes):
        add(name, code, {phrase for phrase in phrases if is_condition(phrase, denied, allowed, everyday)})
    return records


def candidates(codes):
    """What the list calls its codes. Leaves come before the groups above them, titles before what they include."""
    kept = [(code, diagnosis) for code, diagnosis in codes.items() if code[0] not in LEFT_OUT_CHAPTERS and len(code) <= 6 and not "T36" <= code < "T66"]
    leaves = [item for item in kept if item[1].find("diag") is None]
    groups = [item for item in kept if item[1].find("diag") is not None]
    for part in (leaves, groups):
        for code, diagnosis in sorted(part):
            yield from named(code, [diagnosis.findtext("desc")])
    for part in (leaves, groups):
        for code, diagnosis in sorted(part):
            for element in ("inclusionTerm", "includes"):
                for note in diagnosis.findall(f"{element}/note"):
                    if "C00" <= code < "D50" and not NEOPLASM.search((note.text or "").lower()):
                        continue
                    yield from named(code, [note.text or ""])


def named(code, texts):
    for text in texts:
        # The title says what the laterality or the encounter is; the same words without it belong to a code of less detail.
        phrases = variants(text)
        if phrases:
            yield code, phrases[0], set(phrases)


def variants(text):
    text = re.sub(r"\[[^]]*\]|\([A-Z]\d[^)]*\)", " ", text).lower().strip()
    title = fold(re.sub(r"\s*\([^)]*\)", "", text))
    for pattern in UNSPECIFIED:
        text = re.sub(pattern, " ", text)
    text = re.sub(r"\s+", " ", text).strip(" ,")
    if LEFT_OUT.search(text):
        return []
    short = re.sub(r"\s*\([^)]*\)", "", text)
    full = re.sub(r"[()]", " ", text)
    found = []
    for form in (short, full):
        form = fold(form)
        if form and form not in found and len(form.split()) <= 7 and ")" not in form:
            found.append(form)
            found.extend(turned for turned in turned_around(form) if turned not in found)
    if found and title not in found and len(title.split()) <= 7:
        found.append(title)
    return found


def turned_around(form):
    """`fracture of femur` is also `femur fracture`, a malignant neoplasm also a cancer."""
    if match := re.fullmatch(r"malignant neoplasm of (.{3,24})", form):
        site = match[1]
        if " and " not in site and " part" not in site:
            return [f"{site} cancer", f"cancer of {site}", f"cancer of the {site}", f"carcinoma of {site}", f"{site} carcinoma"]
    if match := re.fullmatch(r"((?:\w+ )?\w+) of ((?:the )?(?:\w+ )?\w+)", form):
        thing, site = match[1], match[2].removeprefix("the ")
        if "other" not in form and not re.search(r"(disorder|disease|absence|history|injury|malformation|anomal)", thing):
            return [f"{site} {thing}", f"{thing} of the {site}"]
    return []


def is_condition(phrase, denied, allowed, everyday):
    words = phrase.split()
    if phrase in denied or len(phrase) < 4 or words[0] in {"and", "or", "with", "of"} or words[-1] in {"and", "or", "with", "of", "the", "in"}:
        return False
    if words[-1] == "use":
        return False
    return len(words) > 1 or phrase not in everyday or phrase in allowed or bool(MEDICAL_END.search(phrase))


def chronic_by_code(indicator):
    marks = {}
    with open(indicator, encoding="utf-8", newline="") as file:
        for row in csv.reader(file):
            if len(row) == 3 and row[0].startswith("'"):
                marks[row[0].strip("'")] = row[2]

    below = {}
    for code, mark in marks.items():
        for end in range(3, len(code)):
            below.setdefault(code[:end], set()).add(mark)

    def of(code):
        plain = code.replace(".", "")
        found = {marks[plain]} if plain in marks else set(below.get(plain, ()))
        return {"1": "chronic", "0": "not chronic"}.get(found.pop(), "") if len(found) == 1 else ""

    return of
