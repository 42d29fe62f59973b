"""What to read before a problem of the curriculum: one short page for each day.

The texts and figures are in `web.learn`. This module knows only names, so that every page can link.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from django.urls import reverse


@dataclass(frozen=True, slots=True)
class Reading:
    """A page to read before the problem or quiz `slug` of a day."""

    day: int
    slug: str
    title: str

    @property
    def url(self) -> str:
        """Return the address of its page."""
        return reverse("reading", args=[self.slug])


# In the order of the days.
READINGS: Mapping[str, Reading] = {
    reading.slug: reading
    for reading in (
        Reading(3, "vector-add", "One thread for each element"),
        Reading(44, "softmax", "Exponentials that cannot overflow"),
        Reading(45, "batch-norm", "Mean and variance of a channel"),
        Reading(46, "single-head-attention", "A weighted mean with computed weights"),
        Reading(56, "timeline-idle", "Time as a union of intervals"),
        Reading(59, "dynamic-loss-scale", "The narrow range of float16"),
    )
}


def reading_of(slug: str) -> Reading | None:
    """Return what to read before the problem or quiz `slug`, None if nothing is written for it."""
    return READINGS.get(slug)
