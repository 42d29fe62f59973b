"""How the text of a variable becomes the value of a setting. Each raises ValueError, saying what it takes."""

from collections.abc import Callable
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parent.parent
_NAME_CHARACTERS = 80
_TRUE, _FALSE = {"1", "true", "yes", "on"}, {"0", "false", "no", "off"}


def text(value: str) -> str:
    """Any text, as it is."""
    return value


def name(value: str) -> str:
    """A short name, without spaces and slashes, which addresses and logs can hold."""
    if len(value) <= _NAME_CHARACTERS and not any(sign.isspace() or sign == "/" for sign in value):
        return value
    raise ValueError(f"takes up to {_NAME_CHARACTERS} characters without spaces and slashes")


def boolean(value: str) -> bool:
    """Yes or no."""
    if value.lower() in _TRUE | _FALSE:
        return value.lower() in _TRUE
    raise ValueError("takes yes or no")


def positive(value: str) -> int:
    """A whole number above 0."""
    if value.isdecimal() and int(value) > 0:
        return int(value)
    raise ValueError("takes a whole number above 0")


def count(value: str) -> int:
    """A whole number, 0 or more."""
    if value.isdecimal():
        return int(value)
    raise ValueError("takes a whole number, 0 or more")


def count_or_auto(value: str) -> int | None:
    """A whole number, 0 or more; None for `auto`."""
    if value == "auto":
        return None
    if value.isdecimal():
        return int(value)
    raise ValueError("takes a whole number, 0 or more, or auto")


def port(value: str) -> int:
    """A port number."""
    if value.isdecimal() and 0 < int(value) < 65536:
        return int(value)
    raise ValueError("takes a port number, 1 to 65535")


def port_or_none(value: str) -> int:
    """A port number, or 0."""
    return 0 if value == "0" else port(value)


def path(value: str) -> Path:
    """A path; relative ones start at the repository."""
    return (ROOT / Path(value).expanduser()).resolve()


def names(value: str) -> tuple[str, ...]:
    """Names with commas between."""
    return tuple(name.strip() for name in value.split(",") if name.strip())


def address(value: str) -> str:
    """An IP address."""
    try:
        return str(ip_address(value))
    except ValueError as error:
        raise ValueError("takes an IP address, such as 127.0.0.1, or 0.0.0.0 for all") from error


def images(value: str) -> str:
    """`host`, or the prefix and tag of images."""
    prefix, _, tag = value.rpartition(":")
    if value == "host" or (prefix and tag and "/" not in tag):
        return value
    raise ValueError("takes host, or PREFIX:TAG such as warpcourt:latest")


def scheme(*known: str) -> Callable[[str], str]:
    """A parser for URLs that start with one of `known`."""

    def parse(value: str) -> str:
        if value and urlsplit(value).scheme not in known:
            raise ValueError(f"takes a URL that starts with {' or '.join(f'{name}://' for name in known)}")
        return value.rstrip("/")

    return parse


def one_of(*known: str) -> Callable[[str], str]:
    """A parser for one of `known`."""

    def parse(value: str) -> str:
        if value not in known:
            raise ValueError(f"takes one of {', '.join(known)}")
        return value

    return parse
