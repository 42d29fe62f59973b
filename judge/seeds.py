"""Seeds of problems that are ranked by their checker's score: all submissions get the same contents.

Theory of operation. Scores for different contents are not comparable, and users who submit often would
eventually get favourable contents. So the contents follow from the problem's version and a secret key of the
site, which no program and no user knows. Each case has its own seed, so that a public case reveals nothing
about a hidden case. If a case is drawn several times, each set has its own seed. Users can choose seeds below
2^64 for runs. The first set of a case uses such a seed unchanged.
"""

from hashlib import blake2b

from problems.schema import Case, Problem

_BYTES = 16
_OURS = 1 << 127  # this bit marks seeds of this module


def board_seed(problem: Problem, key: bytes) -> int:
    """Return the seed of all contents on the leaderboard of `problem`."""
    said = blake2b(problem.version.encode(), digest_size=_BYTES, key=key[:64]).digest()
    return int.from_bytes(said, "little") | _OURS


def seed_of(seed: int | None, case: Case, number: int = 0) -> int | None:
    """Return the seed of set `number` of the contents of `case`; None for a random seed."""
    if seed is None or (seed < _OURS and not number):
        return seed
    said = f"{seed}/{case.name}/{number}" if number else f"{seed}/{case.name}"
    return int.from_bytes(blake2b(said.encode(), digest_size=_BYTES).digest(), "little")
