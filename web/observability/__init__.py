"""How an administrator sees what the site does: metrics, the ids in log lines, traces."""
