"""Programs that users hand in, the jobs that judge them, and what came of it."""
