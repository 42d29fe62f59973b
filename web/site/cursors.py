"""The position after a page of rows, as text for the next page's address: a time and a key, or a key."""

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_LONGEST = 40
_LARGEST = 2**63 - 1


def encode(moment: datetime, key: int) -> str:
    """Return the position of a row: `1763730000000000-42`."""
    return f"{(moment - _EPOCH) // _MICROSECOND}-{key}"


def decode(text: str) -> tuple[datetime, int] | None:
    """Return the arguments of `encode`; None for invalid text, which means the first page."""
    moment, _, key = text.partition("-")
    parts = [decode_key(moment), decode_key(key)]
    if parts[0] is None or parts[1] is None:
        return None
    try:
        return _EPOCH + parts[0] * _MICROSECOND, parts[1]
    except OverflowError:
        return None


def decode_key(text: str) -> int | None:
    """Return a key; None for invalid text."""
    if not (text.isascii() and text.isdigit() and len(text) < _LONGEST):
        return None
    return int(text) if int(text) <= _LARGEST else None
