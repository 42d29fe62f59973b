"""Standings. No models: a leaderboard is a query."""
