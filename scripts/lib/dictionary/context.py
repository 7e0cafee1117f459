"""Triggers of the ConText family and headings of sections, from medspacy and negspacy, behind our own."""
import ast
import itertools
import json

from fold import fold
from own import phrases, read

CATEGORIES = {
    "NEGATED_EXISTENCE": "negated", "POSSIBLE_EXISTENCE": "possible", "HYPOTHETICAL": "hypothetical", "HISTORICAL": "historical", "FAMILY": "family",
}
NEGSPACY = {
    "pseudo_negations": ("negated", "pseudo"), "preceding_negations": ("negated", "forward"),
    "following_negations": ("negated", "backward"), "termination": ("terminate", "terminate"),
}
# Words that decide too often in letters and forms: "please return", "Ro antibodies", "free T4", "no known: none".
LEFT_OUT = {"ro", "return", "free", "which causes", "leads to", "supposed", "instead of", "n't", "secondary"}
SECTIONS = {
    "addendum": "other", "allergy": "allergies", "allergies": "allergies", "chief_complaint": "other", "comments": "other",
    "patient_education": "other", "diagnoses": "diagnoses", "family_history": "family history", "history_of_present_illness": "other",
    "hospital_course": "other", "imaging": "findings", "labs_and_studies": "labs", "medications": "medications", "neurological": "findings",
    "observation_and_plan": "assessment", "other": "other", "past_medical_history": "past history", "patient_instructions": "other",
    "physical_exam": "findings", "problem_list": "diagnoses", "reason_for_examination": "other", "signature": "other",
    "sexual_and_social_history": "social history", "social_history": "social history",
}


def triggers(medspacy, negspacy):
    """Rows of triggers.tsv: words, context, direction. Of two sources that disagree, the first counts: our own, medspacy, negspacy."""
    known = {}
    for words, context, direction in read("triggers"):
        known.setdefault(plain(words), (context, direction))
    rules = json.loads((medspacy / "resources/en/context_rules.json").read_text(encoding="utf-8"))["context_rules"]
    for rule in rules:
        direction = rule["direction"].lower()
        context = "terminate" if direction == "terminate" else CATEGORIES.get(rule["category"])
        if context:
            for words in {rule["literal"], *expanded(rule.get("pattern"))}:
                known.setdefault(plain(words), (context, direction.replace("bidirectional", "both")))
    for name, words in termsets(negspacy):
        for phrase in words:
            known.setdefault(plain(phrase), NEGSPACY[name])
    return [[words, *meaning] for words, meaning in known.items() if words not in LEFT_OUT]


def plain(words):
    return " ".join(words.lower().split())


def expanded(pattern):
    """A pattern of spaCy as the phrases that it stands for. Those that look at more than the letters of words are left out."""
    if not isinstance(pattern, list):
        return []
    choices = []
    for token in pattern:
        lower = token.get("LOWER")
        if lower is None or set(token) - {"LOWER", "OP"} or token.get("OP", "?") != "?":
            return []
        words = lower["IN"] if isinstance(lower, dict) else [lower]
        choices.append([*words, ""] if "OP" in token else words)
    return [" ".join(words) for words in itertools.product(*choices)]


def termsets(negspacy):
    """The English lists for clinical texts of negspacy's termsets.py, which is read and not run."""
    lists = {}

    def value(node):
        if isinstance(node, ast.List):
            return [text for part in node.elts for text in (value(part.value) if isinstance(part, ast.Starred) else [value(part)])]
        return lists[node.id] if isinstance(node, ast.Name) else node.value

    for node in ast.parse((negspacy / "negspacy/termsets.py").read_text(encoding="utf-8")).body:
        if not isinstance(node, ast.Assign):
            continue
        target = node.targets[0]
        if isinstance(target, ast.Name) and isinstance(node.value, ast.List):
            lists[target.id] = value(node.value)
        elif isinstance(target, ast.Subscript) and getattr(target.value, "id", "") == "en_clinical":
            yield target.slice.value, value(node.value)


def sections(medspacy):
    """Rows of sections.tsv: section, headings."""
    headings = {}
    for section, words in read("sections"):
        for heading in words.split(";"):
            headings.setdefault(fold(heading), section)
    rules = json.loads((medspacy / "resources/en/section_patterns.json").read_text(encoding="utf-8"))["section_rules"]
    for rule in rules:
        headings.setdefault(fold(rule["literal"].replace(":", " ")), SECTIONS[rule["category"]])
    names = {}
    for heading, section in headings.items():
        names.setdefault(section, []).append(heading)
    return [[section, phrases(*words)] for section, words in names.items()]
