"""How colours look to people with other colour vision, in numbers."""

from math import dist

# From linear red, green and blue to what people without one kind of cone see.
# Source: Machado, Oliveira and Fernandes 2009, "A physiologically-based model for simulation of color vision
# deficiency", severity 1.0.
VISIONS = {
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
    "grey": ((0.2126, 0.7152, 0.0722),) * 3,
    "full": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
}
TO_XYZ = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
WHITE = (0.9505, 1, 1.089)


def times(matrix, colour):
    return tuple(sum(a * b for a, b in zip(row, colour, strict=True)) for row in matrix)


def linear(colour):
    """Red, green and blue as amounts of light, from "#rgb" or "#rrggbb"."""
    digits = colour.lstrip("#")
    digits = "".join(2 * digit for digit in digits) if len(digits) == 3 else digits
    parts = [value / 255 for value in bytes.fromhex(digits)]
    return tuple(part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)


def seen(colour, vision):
    """Linear red, green and blue as people with this vision see them."""
    return tuple(min(1, max(0, part)) for part in times(VISIONS[vision], linear(colour)))


def contrast(one, other, vision="full"):
    """The contrast ratio that WCAG 2 defines, from 1 to 21."""
    dark, light = sorted(times(TO_XYZ, seen(colour, vision))[1] + 0.05 for colour in (one, other))
    return light / dark


def difference(one, other, vision):
    """How far apart two colours look: CIE76, ΔE in L*a*b*; 2.3 can just be noticed."""
    return dist(lab(seen(one, vision)), lab(seen(other, vision)))


def lab(colour):
    x, y, z = (
        part ** (1 / 3) if part > 0.008856 else 7.787 * part + 16 / 116
        for part in (a / white for a, white in zip(times(TO_XYZ, colour), WHITE, strict=True))
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)
