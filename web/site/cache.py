"""The Redis cache. Losing it costs only its contents.

The cache contains the counts of rate limits. While Redis is down, there are no rate limits, and the site
continues to work. The limits for submissions are in the database.

Values are JSON. Django's default, pickle, would run code of any client that may write to Redis, and the
broker is the same Redis.
"""

import json
from collections.abc import Callable
from typing import Any

import structlog
from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError

log = structlog.get_logger(__name__)


class JsonSerializer:
    """Stores numbers, texts, lists and objects. Integers stay as they are, so that Redis can add to them."""

    def dumps(self, value: Any) -> Any:
        """Return the stored form of a value."""
        return value if type(value) is int else json.dumps(value)

    def loads(self, data: bytes) -> Any:
        """Return a stored value. Raises ValueError if it is not JSON."""
        return json.loads(data)


class ForgivingRedisCache(RedisCache):
    """Behaves like an empty cache while Redis does not answer."""

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        options = {"serializer": JsonSerializer, **params.get("OPTIONS", {})}
        super().__init__(server, {**params, "OPTIONS": options})

    def get(self, key: Any, default: Any = None, version: int | None = None) -> Any:
        """Return the value, or `default`."""
        return _forgive(lambda: super(ForgivingRedisCache, self).get(key, default, version), default)

    def get_many(self, keys: Any, version: int | None = None) -> dict[Any, Any]:
        """Return the values that the cache has."""
        found: dict[Any, Any] = _forgive(lambda: super(ForgivingRedisCache, self).get_many(keys, version), {})
        return found

    def set(self, key: Any, value: Any, *args: Any, **more: Any) -> None:
        """Store a value."""
        _forgive(lambda: super(ForgivingRedisCache, self).set(key, value, *args, **more), None)

    def add(self, key: Any, value: Any, *args: Any, **more: Any) -> bool:
        """Store a value if there is none."""
        added = _forgive(lambda: super(ForgivingRedisCache, self).add(key, value, *args, **more), True)
        return bool(added)

    def incr(self, key: Any, delta: int = 1, version: int | None = None) -> int:
        """Add to a number and return the sum; 0 while Redis is down."""
        return int(_forgive(lambda: super(ForgivingRedisCache, self).incr(key, delta, version), 0))

    def delete(self, key: Any, version: int | None = None) -> bool:
        """Delete a value."""
        return bool(_forgive(lambda: super(ForgivingRedisCache, self).delete(key, version), False))


def _forgive(call: Callable[[], Any], instead: Any) -> Any:
    try:
        return call()
    except RedisError as error:
        log.warning("cache_unreachable", error=str(error))
        return instead
