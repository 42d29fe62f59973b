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
        Reading(1, "device-arithmetic", "What a chip can do at most"),
        Reading(2, "who-am-i", "The position of a thread"),
        Reading(3, "vector-add", "One thread for each element"),
        Reading(4, "box-blur", "Grids and blocks in two dimensions"),
        Reading(5, "shared-reverse", "From near memory to far memory"),
        Reading(6, "fix-tiled-product", "What a barrier promises"),
        Reading(7, "host-saxpy", "The way to the device and back"),
        Reading(8, "read-a-profile", "From a profile to the next change"),
        Reading(9, "warp-divergence", "One instruction for 32 threads"),
        Reading(10, "occupancy-tuning", "How many warps fit on a multiprocessor"),
        Reading(11, "reduction-sum", "Many threads, one result"),
        Reading(12, "managed-vectors", "Memory that moves on demand"),
        Reading(13, "stream-overlap", "Copies and kernels at the same time"),
        Reading(14, "fix-the-stopwatch", "Clocks for work that does not wait"),
        Reading(15, "conflict-free-transpose", "The banks of shared memory"),
        Reading(16, "texture-lookup", "Two read-only memories"),
        Reading(17, "child-kernels", "Kernels that launch kernels"),
        Reading(18, "graph-replay", "Many launches in one call"),
        Reading(19, "fix-the-pipeline", "Gaps in a timeline"),
        Reading(20, "sgemm-capstone", "Tiles at every level of memory"),
        Reading(21, "register-tiled-gemm", "Results that stay in registers"),
        Reading(22, "async-pipeline-gemm", "Load the next tile early"),
        Reading(23, "warp-rows", "Threads that read each other's registers"),
        Reading(24, "blelloch-scan", "Sums on the way up and down a tree"),
        Reading(25, "histogram", "Updates that compete"),
        Reading(26, "sobel-edges", "Windows that overlap"),
        Reading(29, "sum-by-key", "Algorithms from a library"),
    )
}


def reading_of(slug: str) -> Reading | None:
    """Return what to read before the problem or quiz `slug`, None if nothing is written for it."""
    return READINGS.get(slug)
