"""What the leaderboard page shows: the rows with their intervals drawn, and the boards to choose from."""

import math
from dataclasses import dataclass

from django.http import QueryDict
from django.utils.http import urlencode

from problems.vocabulary import Language
from web.leaderboards.queries import Standing, Standings

WIDTH = 1000
_LEAST = 8  # units, so that the narrowest interval can be seen


@dataclass(frozen=True, slots=True)
class Row:
    """A place on the board. `x` and `width` draw its interval on an axis that all rows share."""

    standing: Standing
    x: int
    width: int
    mine: bool


@dataclass(frozen=True, slots=True)
class Choice:
    """A board that one may change to, with its address."""

    label: str
    address: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class Wanted:
    """The board that the address asks for, as far as it makes sense."""

    gpu: str | None
    language: Language | None

    @classmethod
    def from_query(cls, query: QueryDict) -> "Wanted":
        """Read `gpu` and `language`; what is no language is left out."""
        language = query.get("language", "")
        known = Language(language) if language in {*Language} else None
        return cls(query.get("gpu", "").replace("\0", "") or None, known)


def rows(standings: Standings, username: str) -> tuple[Row, ...]:
    """The rows of a ranked board, on a logarithmic axis from its shortest time to its longest."""
    scores = [row.score for row in standings.rows if row.score]
    if not scores:
        return ()
    low = math.log(min(score.low_us for score in scores))
    span = math.log(max(score.high_us for score in scores)) - low or 1.0
    drawn = []
    for standing in standings.rows:
        if standing.score is None:
            continue
        x = round(WIDTH * (math.log(standing.score.low_us) - low) / span)
        end = round(WIDTH * (math.log(standing.score.high_us) - low) / span)
        width = max(end - x, _LEAST)
        drawn.append(Row(standing, min(x, WIDTH - width), width, standing.username == username))
    return tuple(drawn)


def gpus(standings: Standings) -> tuple[Choice, ...]:
    """The GPU models that have a board, in the language that is shown."""
    chosen = standings.board
    if chosen is None:
        return ()
    models = dict.fromkeys([board.gpu for board in standings.boards] + [chosen.gpu])
    return tuple(Choice(model, _address(model, chosen.language), model == chosen.gpu) for model in models)


def languages(standings: Standings) -> tuple[Choice, ...]:
    """Every language, on the GPU model that is shown."""
    chosen = standings.board
    if chosen is None:
        return ()
    return tuple(
        Choice(language.value, _address(chosen.gpu, language.value), language == chosen.language)
        for language in Language
    )


def _address(gpu: str, language: str) -> str:
    return "?" + urlencode({"gpu": gpu, "language": language})
