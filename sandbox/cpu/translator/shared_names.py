"""The names that shared arrays have in the source, for messages."""

import re

_NUMBER = re.compile(r"(?<=[ELZ])\d+")  # after the function, or for one of the file
_REST = re.compile(r"(_\d+)?")  # tells variables of one name and function apart


def source_name(symbol: str) -> str:
    """Return the name of the variable `symbol`: "tile" for _ZZ4copyPfE4tile, or else `symbol`."""
    if not symbol.startswith("_Z"):
        return symbol
    for number in _NUMBER.finditer(symbol):
        end = number.end() + int(number[0])
        name = symbol[number.end() : end]
        if name.isidentifier() and end <= len(symbol) and _REST.fullmatch(symbol, end):
            return name
    return symbol
