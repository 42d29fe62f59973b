"""The leaderboards app."""

from django.apps import AppConfig


class LeaderboardsConfig(AppConfig):
    """Standings, by query."""

    name = "web.leaderboards"
    label = "leaderboards"
