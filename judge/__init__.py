"""The pure core: takes a problem and a source, returns a report. No Django, no settings, no queue."""
