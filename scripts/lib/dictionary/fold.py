"""The form under which phrases lie in worker/dictionary/data. worker/dictionary/src/fold.rs does the same, and a test there compares them."""
import re
import unicodedata

SPELLINGS = [
    ("haem", "hem"), ("aemia", "emia"), ("aemic", "emic"), ("anaes", "anes"), ("oedem", "edem"), ("oesoph", "esoph"), ("oestr", "estr"),
    ("rrhoea", "rrhea"), ("paed", "ped"), ("caes", "ces"), ("caec", "cec"), ("coeli", "celi"), ("dyspnoe", "dyspne"), ("apnoe", "apne"),
    ("foet", "fet"), ("faec", "fec"), ("gynaec", "gynec"), ("leuc", "leuk"), ("sulph", "sulf"), ("tumour", "tumor"), ("fibre", "fiber"),
    ("litre", "liter"), ("colour", "color"), ("ageing", "aging"), ("catheteris", "catheteriz"), ("immunis", "immuniz"),
    ("hospitalis", "hospitaliz"),
]
GREEK = {"α": "alpha", "β": "beta", "γ": "gamma", "µ": "u", "μ": "u", "æ": "ae", "œ": "oe", "ø": "o", "ß": "ss"}


def fold(text):
    """Lower case, without accents and possessives, with a space for each hyphen, slash and comma."""
    text = "".join(GREEK.get(letter, letter) for letter in text.lower())
    text = unicodedata.normalize("NFD", text.replace("’", "'").replace("`", "'"))
    text = "".join(letter for letter in text if not unicodedata.combining(letter))
    text = re.sub(r"[^a-z0-9.%#']", " ", text)
    words = []
    for word in text.split():
        word = word.strip(".'")
        if word.endswith("'s"):
            word = word[:-2]
        if not word:
            continue
        if len(word) >= 5:
            for british, american in SPELLINGS:
                word = word.replace(british, american)
        words.append(word.replace("'", ""))
    return " ".join(word for word in words if word)
