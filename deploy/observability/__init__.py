"""Monitoring of Warpcourt: alert rules, a Prometheus configuration, a Grafana dashboard."""
