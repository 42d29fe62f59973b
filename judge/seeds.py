"""The seeds of a problem that its checker's score ranks: all submissions get the same hidden contents.

Theory of operation. Scores of different contents cannot be compared, and users who submit often enough would
get contents that suit. So the contents follow from the problem's version and a key of the site, which no
program and no user knows. Each case has a seed of its own, so that nothing can be learned of a hidden case
from a public one. Seeds that users choose for runs are below 2^64 and are used as they are.
"""

from hashlib import blake2b

from problems.schema import Case, Problem

_BYTES = 16
_OURS = 1 << 127  # marks seeds of this module


def board_seed(problem: Problem, key: bytes) -> int:
    """The seed of all contents on the board of `problem`."""
    said = blake2b(problem.version.encode(), digest_size=_BYTES, key=key[:64]).digest()
    return int.from_bytes(said, "little") | _OURS


def seed_of(seed: int | None, case: Case) -> int | None:
    """The seed of the contents of `case`; None for a random one."""
    if seed is None or seed < _OURS:
        return seed
    return int.from_bytes(blake2b(f"{seed}/{case.name}".encode(), digest_size=_BYTES).digest(), "little")
