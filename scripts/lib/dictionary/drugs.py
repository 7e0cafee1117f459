"""Drugs from the package drug-named-entity-recognition, own combinations and own additions."""
import bz2
import collections
import pickle
import re

from fold import fold
from own import read

# Ends of international nonproprietary names. A name of DrugBank that is not in MedlinePlus is kept only with one of them, or with an early
# number of DrugBank: those numbers were given to approved drugs, later ones to thousands of chemicals as well.
STEMS = re.compile(
    r"(mab|nib|pril|prilat|sartan|olol|statin|cillin|mycin|micin|azole|oxacin|cycline|vir|tidine|prazole|setron|triptan|gliptin|gliflozin|"
    r"glutide|natide|glitazone|semide|thiazide|afil|profen|coxib|azepam|azolam|barbital|caine|curium|curonium|dipine|dronate|ergot|fibrate|"
    r"floxacin|gatran|grel|grelor|xaban|parin|irudin|lukast|oxetine|pramine|triptyline|peridone|piprazole|lamide|tadine|terol|tropium|"
    r"sone|solone|onide|olone|platin|rubicin|taxel|tecan|trexate|bicin|vastatin|zepine|zolamide|zosin|osin|cef|ceph|penem|bactam|fungin|"
    r"conazole|quine|dazole|stat|kinra|cept|limus|ciclib|parib|lisib|degib|rafenib|metinib|tinib|zomib|dopa|giline|capone|racetam|gabalin|"
    r"pidem|clone|orexant|vaptan|entan|ciguat|prost|tide|relin|relix|orphan|adol|morphone|codone|fentanil|naltrexone|lutamide|estrant|"
    r"rozole|stim|poetin|ase|fusp|leucel|gene|siran|rsen)$"
)
FORM_WORDS = {
    "otic", "ophthalmic", "topical", "nasal", "vaginal", "transdermal", "injection", "implant", "buccal", "oral", "inhalation", "spray", "patch",
    "rectal", "lotion", "cream", "intravitreal", "sublingual", "intranasal", "systemic", "liposomal", "pegylated", "complex", "lipid", "rdna",
    "origin", "human", "recombinant", "suppository", "extended", "release", "subcutaneous", "intrathecal", "powder", "intravenous",
}
CHEMICAL = re.compile(
    r"(methyl|ethyl|phenyl|hydroxy|amino|chlor|benz|acid|oxy|phosph|sulf|nitro|fluor|brom|iod|glyc|acet|carb|pyr|thio|amide|amine|ate|ide|ol)$|"
    r"(methyl|ethyl|phenyl|hydroxy|amino|chloro|benzo|phospho|nitro|fluoro|bromo|pyrid|propano|butan)"
)


def drugs(package, everyday, salts):
    """Rows of drugs.tsv: name, system, code, phrases, brands."""
    with bz2.open(package / "drug_named_entity_recognition/drug_ner_dictionary.pkl.bz2") as file:
        data = pickle.load(file)
    variants = collections.defaultdict(list)
    for variant, names in data["drug_variant_to_canonical"].items():
        for name in names:
            variants[name].append(variant)
    marks = {variant: mark["is_brand"] for variant, mark in data["drug_variant_to_variant_data"].items()}
    table = Table(everyday, salts)
    table.add_own()
    for canonical, facts in sorted(data["drug_canonical_to_data"].items()):
        if is_kept(canonical, facts):
            table.add(canonical, facts, variants[canonical], marks)
    return table.rows()


def is_kept(canonical, facts):
    if "vaccine" in canonical or "pollen" in canonical or "allergen" in canonical:
        return False
    if "medline_plus_id" in facts:
        return True
    number = facts.get("drugbank_id", "")
    if not number or not re.fullmatch(r"[a-z][a-z -]{5,28}", canonical):
        return False
    return "DB00000" < number < "DB01700" or bool(STEMS.search(canonical))


class Table:
    def __init__(self, everyday, salts):
        self.everyday, self.salts = everyday, salts
        self.denied = {fold(row[0]) for row in read("not_drugs")}
        self.allowed = {fold(row[0]) for row in read("drugs_though_everyday")}
        self.codes = {row[0]: row[1] for row in read("rxnorm")}
        self.known = {}  # name -> [system, code, generic phrases, brand phrases]
        self.taken = {}  # phrase -> name

    def add_own(self):
        for name, generics, brands in (row + [""] * (3 - len(row)) for row in read("drugs")):
            self.entry(name)
            self.claim(name, [name] + generics.split(";"), 2)
            self.claim(name, brands.split(";"), 3)

    def entry(self, name):
        if name not in self.known:
            code = self.codes.get(name)
            self.known[name] = ["RxNorm" if code else "", code or "", set(), set()]
        return self.known[name]

    def claim(self, name, phrases, column):
        for phrase in map(fold, phrases):
            if phrase and self.taken.setdefault(phrase, name) == name:
                if not (column == 3 and phrase in self.known[name][2]):
                    self.known[name][column].add(phrase)

    def add(self, canonical, facts, variants, marks):
        name = plain_name(canonical)
        # A salt of a drug that is there already: the words behind its name are left out when it is looked up.
        name = self.without_salt(name)
        if not name or not self.is_drug(name, own_name="medline_plus_id" in facts):
            return
        name = self.taken.get(fold(name), name)
        entry = self.entry(name)
        if not entry[1] and "/" not in name and facts.get("drugbank_id"):
            entry[0], entry[1] = "DrugBank", facts["drugbank_id"]
        phrases = [name, canonical] if "(" not in canonical else [name]
        self.claim(name, [phrase for phrase in phrases if self.is_drug(fold(phrase), own_name=True)], 2)
        for variant in variants:
            self.add_variant(name, variant, marks.get(variant))

    def add_variant(self, name, variant, is_brand):
        if not re.fullmatch(r"[^\W\d_][\w' -]{3,40}", variant) or len(variant.split()) > 4 or re.search(r"\d", variant):
            return
        folded = fold(variant)
        if not self.is_drug(folded, own_name=False) or self.without_salt(folded) != folded and self.without_salt(folded) in self.taken:
            return
        start = re.sub(r"[^a-z]", "", folded)[:5]
        is_form_of_name = fold(name).replace(" ", "").startswith(start[:5]) or fold(name) in folded
        generic = is_brand is False or is_form_of_name or (is_brand is None and CHEMICAL.search(folded) and len(folded) > 9)
        self.claim(name, [folded], 2 if generic else 3)

    def without_salt(self, name):
        words = name.split(" ")
        while len(words) > 1 and words[-1] in self.salts and " ".join(words[:-1]) in self.taken:
            words.pop()
        return " ".join(words)

    def is_drug(self, folded, own_name):
        folded = fold(folded)
        if folded in self.allowed:
            return True
        words = folded.split(" ")
        if folded in self.denied or len(folded) < 5 or any(len(word) < 2 for word in words) and len(words) < 3:
            return False
        if all(word in self.everyday or word in FORM_WORDS or word in self.salts or word in self.denied for word in words):
            return own_name and len(words) > 1 and not all(word in self.denied or word in FORM_WORDS for word in words)
        return words[0] not in {"the", "and", "with", "for", "title", "website", "ref"}

    def rows(self):
        for name, (system, code, generics, brands) in self.known.items():
            if generics or brands:
                yield [name, system, code, ";".join(sorted(generics)), ";".join(sorted(brands - generics))]


def plain_name(canonical):
    """`a, b, and c otic` is `a/b/c`; remarks, forms of application and four-letter suffixes of biosimilars are left out."""
    name = re.sub(r"\(.*?\)|\[.*?\]", " ", canonical.lower()).strip()
    name = re.sub(r"-[a-z]{4}$", "", name) if re.search(r"(mab|ase|cept|stim|poetin|alfa|fusp|gene|leucel)-[a-z]{4}$", name) else name
    words = name.split()
    while len(words) > 1 and words[-1] in FORM_WORDS:
        words.pop()
    name = " ".join(words)
    if re.search(r" combinations?\b|products?$", name):
        return ""
    parts = [part.strip() for part in re.split(r",\s*and\s+|,\s+|\s+and\s+|/", name) if part.strip()]
    parts = ["clavulanate" if part == "clavulanic acid" else part for part in parts]
    return "/".join(parts)
