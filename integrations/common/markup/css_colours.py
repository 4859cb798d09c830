"""Colours as style sheets write them (CSS Color 4), and whether a text of one can be seen on another."""

import colorsys
import re
from functools import lru_cache
from typing import NamedTuple

_NAMED = """
aliceblue f0f8ff antiquewhite faebd7 aqua 00ffff aquamarine 7fffd4 azure f0ffff beige f5f5dc bisque ffe4c4 black 000000
blanchedalmond ffebcd blue 0000ff blueviolet 8a2be2 brown a52a2a burlywood deb887 cadetblue 5f9ea0 chartreuse 7fff00
chocolate d2691e coral ff7f50 cornflowerblue 6495ed cornsilk fff8dc crimson dc143c cyan 00ffff darkblue 00008b darkcyan 008b8b
darkgoldenrod b8860b darkgray a9a9a9 darkgreen 006400 darkgrey a9a9a9 darkkhaki bdb76b darkmagenta 8b008b darkolivegreen 556b2f
darkorange ff8c00 darkorchid 9932cc darkred 8b0000 darksalmon e9967a darkseagreen 8fbc8f darkslateblue 483d8b
darkslategray 2f4f4f darkslategrey 2f4f4f darkturquoise 00ced1 darkviolet 9400d3 deeppink ff1493 deepskyblue 00bfff dimgray 696969
dimgrey 696969 dodgerblue 1e90ff firebrick b22222 floralwhite fffaf0 forestgreen 228b22 fuchsia ff00ff gainsboro dcdcdc
ghostwhite f8f8ff gold ffd700 goldenrod daa520 gray 808080 green 008000 greenyellow adff2f grey 808080 honeydew f0fff0
hotpink ff69b4 indianred cd5c5c indigo 4b0082 ivory fffff0 khaki f0e68c lavender e6e6fa lavenderblush fff0f5 lawngreen 7cfc00
lemonchiffon fffacd lightblue add8e6 lightcoral f08080 lightcyan e0ffff lightgoldenrodyellow fafad2 lightgray d3d3d3
lightgreen 90ee90 lightgrey d3d3d3 lightpink ffb6c1 lightsalmon ffa07a lightseagreen 20b2aa lightskyblue 87cefa
lightslategray 778899 lightslategrey 778899 lightsteelblue b0c4de lightyellow ffffe0 lime 00ff00 limegreen 32cd32 linen faf0e6
magenta ff00ff maroon 800000 mediumaquamarine 66cdaa mediumblue 0000cd mediumorchid ba55d3 mediumpurple 9370db
mediumseagreen 3cb371 mediumslateblue 7b68ee mediumspringgreen 00fa9a mediumturquoise 48d1cc mediumvioletred c71585
midnightblue 191970 mintcream f5fffa mistyrose ffe4e1 moccasin ffe4b5 navajowhite ffdead navy 000080 oldlace fdf5e6 olive 808000
olivedrab 6b8e23 orange ffa500 orangered ff4500 orchid da70d6 palegoldenrod eee8aa palegreen 98fb98 paleturquoise afeeee
palevioletred db7093 papayawhip ffefd5 peachpuff ffdab9 peru cd853f pink ffc0cb plum dda0dd powderblue b0e0e6 purple 800080
rebeccapurple 663399 red ff0000 rosybrown bc8f8f royalblue 4169e1 saddlebrown 8b4513 salmon fa8072 sandybrown f4a460
seagreen 2e8b57 seashell fff5ee sienna a0522d silver c0c0c0 skyblue 87ceeb slateblue 6a5acd slategray 708090 slategrey 708090
snow fffafa springgreen 00ff7f steelblue 4682b4 tan d2b48c teal 008080 thistle d8bfd8 tomato ff6347 turquoise 40e0d0
violet ee82ee wheat f5deb3 white ffffff whitesmoke f5f5f5 yellow ffff00 yellowgreen 9acd32
canvas ffffff canvastext 000000 window ffffff windowtext 000000 field ffffff fieldtext 000000 buttonface f0f0f0 buttontext 000000
linktext 0000ee highlight 3390ff highlighttext ffffff graytext 808080
""".split()
_HEX = re.compile(r"#?([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})")
_NO_COLOURS = frozenset("transparent none inherit initial unset auto undefined null currentcolor default".split())
_NO_HEX, _LONGEST_LEGACY = re.compile("[^0-9a-f]"), 128
_FUNCTION = re.compile(r"(rgba?|hsla?|hwb)\(([^()]*)\)")
_NUMBER = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)(%|deg|rad|grad|turn)?|none")
_TURNS = {"deg": 360.0, "rad": 6.283185307, "grad": 400.0, "turn": 1.0}
_LEAST_CONTRAST, _MOST_ALIKE = 1.25, 48
_FAINTEST = 0.1
_PALE, _LEAST_PALE = 0.8, 1.1


class Colour(NamedTuple):
    """Each from 0 to 255; `alpha` from 0 to 1."""

    red: float
    green: float
    blue: float
    alpha: float = 1.0

    def over(self, ground: "Colour") -> "Colour":
        """As it looks on an opaque ground."""
        red, green, blue = (one * self.alpha + other * (1 - self.alpha) for one, other in zip(self[:3], ground[:3], strict=True))
        return Colour(red, green, blue)


BLACK, WHITE, LINK = Colour(0, 0, 0), Colour(255, 255, 255), Colour(0, 0, 238)
CLEAR = Colour(0, 0, 0, 0)


def _of_hex(digits: str) -> Colour:
    if len(digits) < 6:
        digits = "".join(digit * 2 for digit in digits)
    values = [int(digits[at : at + 2], 16) for at in range(0, len(digits), 2)]
    return Colour(values[0], values[1], values[2], values[3] / 255 if len(values) > 3 else 1.0)


NAMES = {name: _of_hex(digits) for name, digits in zip(_NAMED[::2], _NAMED[1::2], strict=True)} | {"transparent": CLEAR}


@lru_cache(maxsize=2048)
def colour(text: str) -> Colour | None:
    """Of a colour in lower case; None where it is none that can be worked out."""
    if text in NAMES:
        return NAMES[text]
    if text.startswith("#") and (found := _HEX.fullmatch(text)):
        return _of_hex(found[1])
    written = _FUNCTION.fullmatch(text)
    return _of_function(written[1], written[2]) if written else None


def attribute_colour(text: str) -> Colour | None:
    """Of `bgcolor` and the like, where the `#` may be missing; None for none."""
    text = text.strip().lower()
    found = _HEX.fullmatch(text)
    return NAMES.get(text) or (_of_hex(found[1]) if found and len(found[1]) in (3, 6) else colour(text) or _legacy(text))


def _legacy(text: str) -> Colour | None:
    """What browsers make of anything else (HTML, "rules for parsing a legacy color value")."""
    digits = _NO_HEX.sub("0", text.removeprefix("#")[:_LONGEST_LEGACY])
    if not digits or text in _NO_COLOURS:
        return None
    third = -(-len(digits) // 3)
    parts = [digits.ljust(3 * third, "0")[at : at + third][-8:] for at in (0, third, 2 * third)]
    while len(parts[0]) > 2 and all(part[0] == "0" for part in parts):
        parts = [part[1:] for part in parts]
    red, green, blue = (float(int(part[:2], 16)) for part in parts)
    return Colour(red, green, blue)


def _of_function(name: str, inner: str) -> Colour | None:
    numbers = [(float(one[1] or 0), one[2] or "") for one in _NUMBER.finditer(inner)]
    if len(numbers) not in (3, 4):
        return None
    alpha = 1.0
    if len(numbers) == 4:
        value, unit = numbers[3]
        alpha = min(1.0, max(0.0, value / 100 if unit == "%" else value))
    if name.startswith("rgb"):
        red, green, blue = (min(255.0, max(0.0, value * 2.55 if unit == "%" else value)) for value, unit in numbers[:3])
        return Colour(red, green, blue, alpha)
    hue = numbers[0][0] / _TURNS.get(numbers[0][1], 360.0) % 1
    second, third = (min(1.0, max(0.0, value / 100)) for value, _ in numbers[1:3])
    if name == "hwb":
        pure = colorsys.hls_to_rgb(hue, 0.5, 1.0)
        mixed = [(one * (1 - second - third) + second) if second + third < 1 else second / (second + third) for one in pure]
    else:
        mixed = list(colorsys.hls_to_rgb(hue, third, second))
    red, green, blue = (255 * one for one in mixed)
    return Colour(red, green, blue, alpha)


def _brightness(one: Colour) -> float:
    parts = (part / 255 for part in one[:3])
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@lru_cache(maxsize=4096)
def unseen(text: Colour, ground: Colour) -> bool:
    """Whether nobody could tell a text of that colour from the opaque ground that it stands on."""
    if text.alpha < _FAINTEST:
        return True
    looks = text.over(ground)
    dark, light = sorted((_brightness(looks), _brightness(ground)))
    apart = max(abs(one - other) for one, other in zip(looks[:3], ground[:3], strict=True))
    contrast = (light + 0.05) / (dark + 0.05)
    return (apart < _MOST_ALIKE and contrast < _LEAST_CONTRAST) or (dark > _PALE and contrast < _LEAST_PALE)
