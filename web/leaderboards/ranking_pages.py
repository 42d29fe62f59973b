"""The contents of the page of the overall ranking."""

from dataclasses import dataclass

from django.http import QueryDict
from django.utils.http import urlencode

from web.accounts.visibility import Viewer
from web.leaderboards.models import Ranking
from web.leaderboards.pages import BoardChoice, Pages
from web.leaderboards.queries import Ranked, RankingPage, ranking_page

ALL = "All problems"


@dataclass(frozen=True, slots=True)
class Shown:
    """A page of the ranking. `alone` is the viewer's own row if it is not on this page."""

    page: RankingPage
    gpus: tuple[BoardChoice, ...]
    tracks: tuple[BoardChoice, ...]
    pages: Pages
    alone: Ranked | None


def shown(viewer: Viewer, query: QueryDict) -> Shown:
    """Return the page that the address asks for with `gpu`, `track` and `after`."""
    gpu, track = (query.get(name, "").replace("\0", "") or None for name in ("gpu", "track"))
    page = ranking_page(viewer, gpu=gpu, track=track, after=query.get("after", ""))
    chosen = page.ranking
    if chosen is None:
        return Shown(page, (), (), Pages(), None)
    mine = page.mine
    alone = mine if mine and all(row.username != mine.username for row in page.rows) else None
    gpus = dict.fromkeys(ranking.gpu_model for ranking in page.rankings)
    return Shown(
        page,
        gpus=tuple(BoardChoice(model, _url(model, chosen), model == chosen.gpu_model) for model in gpus),
        tracks=tuple(
            BoardChoice(
                ranking.track.title if ranking.track else ALL,
                _url(ranking.gpu_model, ranking),
                ranking == chosen,
            )
            for ranking in page.rankings
            if ranking.gpu_model == chosen.gpu_model
        ),
        pages=Pages(
            first=_url(chosen.gpu_model, chosen) if page.continued else "",
            next="" if page.next is None else _url(chosen.gpu_model, chosen, page.next),
            mine=_url(chosen.gpu_model, chosen, page.around_me) if alone else "",
        ),
        alone=alone,
    )


def _url(gpu: str, ranking: Ranking, after: str = "") -> str:
    """Return the ranking of `gpu` over the problems of `ranking`."""
    query = {"gpu": gpu, "track": ranking.track.slug if ranking.track else "", "after": after}
    return "?" + urlencode({name: value for name, value in query.items() if value})
