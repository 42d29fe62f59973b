"""Caches the addresses of static files: a page refers to about twenty of them."""

from functools import lru_cache

from django.contrib.staticfiles.storage import StaticFilesStorage


class CachedUrlStorage(StaticFilesStorage):
    """Django's storage with a cache of addresses. The cache has at most one entry per file."""

    @lru_cache(maxsize=1024)  # noqa: B019 - the storage lives as long as the process
    def url(self, name: str | None) -> str:
        """Return the address of the file `name`."""
        return super().url(name)
