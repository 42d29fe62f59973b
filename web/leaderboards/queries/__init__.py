"""Reads of standings, records and baselines."""

from web.leaderboards.queries.baselines import Baseline, baselines
from web.leaderboards.queries.records import Record, recent_records, records_of
from web.leaderboards.queries.standings import Board, Standing, Standings, standings

__all__ = [
    "Baseline",
    "Board",
    "Record",
    "Standing",
    "Standings",
    "baselines",
    "recent_records",
    "records_of",
    "standings",
]
