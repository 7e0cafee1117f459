"""Reads our own lists, which lie in own/ in the form in which people write them."""
import pathlib

from fold import fold

FOLDER = pathlib.Path(__file__).parent / "own"


def read(name):
    """The records of a list: columns are separated by tabs, lines that begin with # are comments."""
    lines = (FOLDER / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def phrases(*names):
    """Folded and sorted, without duplicates."""
    return ";".join(sorted({fold(name) for name in names if fold(name)}))
