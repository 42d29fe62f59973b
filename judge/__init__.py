"""Judges programs: takes a problem and a source, and returns a report. Knows no Django, settings or queue."""
