"""Standings, records, baselines and the overall ranking."""
