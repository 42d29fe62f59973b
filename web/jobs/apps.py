"""The app of the job engine. It has no table: each kind of job has its own."""

from django.apps import AppConfig


class JobsConfig(AppConfig):
    """Claims, leases, fencing and sweeps."""

    name = "web.jobs"
    label = "jobs"
