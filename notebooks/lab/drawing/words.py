"""Numbers as people type them."""

import math
import re

from ttt.notation import signed


def parse_number(written: str) -> float | None:
    """Parse a number typed by a person; None if it is not a number.

    >>> parse_number("500 000"), parse_number("1,000.5"), parse_number("0,5"), parse_number("–1"), parse_number("one")
    (500000.0, 1000.5, 0.5, -1.0, None)
    """
    plain = re.sub("[−–]", "-", re.sub(r"(?<=\d)[\s_](?=\d{3}\b)", "", written)).strip()
    if re.fullmatch(r"[-+]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?", plain):  # the lab's own format for thousands
        plain = plain.replace(",", "")
    try:
        number = float(plain.replace("∞", "inf").replace(",", "."))
    except ValueError:
        return None
    return None if math.isnan(number) else number


def normalise_number(written: str) -> str | None:
    """Rewrite a typed number as `signed` does; None if it is not a number.

    >>> [normalise_number(written) for written in ("-1", "–1", "0,5", "1,000", "-inf", "∞", "one")]
    ['−1', '−1', '0.50', '+1000', '−∞', '+∞', None]
    """
    number = parse_number(written)
    return None if number is None else signed(number)
