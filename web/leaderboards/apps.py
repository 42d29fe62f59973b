"""The leaderboards app."""

from django.apps import AppConfig


class LeaderboardsConfig(AppConfig):
    """Standings, records, baselines and the overall ranking."""

    name = "web.leaderboards"
    label = "leaderboards"
