"""Reads of standings, records, baselines and the overall ranking."""

from web.leaderboards.queries.baselines import BaselineScore, baselines
from web.leaderboards.queries.boards import Board, Standing, Standings
from web.leaderboards.queries.ranking import Ranked, RankingPage, ranking_page
from web.leaderboards.queries.records import Record, recent_records, records_of
from web.leaderboards.queries.standings import standings

__all__ = [
    "BaselineScore",
    "Board",
    "Ranked",
    "RankingPage",
    "Record",
    "Standing",
    "Standings",
    "baselines",
    "ranking_page",
    "recent_records",
    "records_of",
    "standings",
]
