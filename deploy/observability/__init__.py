"""What watches Warpcourt: alert rules, a configuration of Prometheus, a dashboard of Grafana."""
