"""Sets of problems in the formats of others, brought in by workers: an upload, a run, a report."""
