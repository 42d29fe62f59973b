"""The Django project: settings, and one app per subject."""
