"""Tests the Redis cache: its values are data, never code. `test_failed_keys` tests it without Redis."""

import pickle

import pytest

from web.site.cache import ForgivingRedisCache, JsonSerializer

OPENED: list[str] = []


class Attack:
    """A value that runs code when it is unpickled."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return OPENED.append, ("code ran",)


@pytest.mark.parametrize("value", [7, True, 0.5, "text", [1.5, 2.5], {"a": [None]}])
def test_values_come_back(value: object) -> None:
    serializer = JsonSerializer()
    stored = serializer.dumps(value)
    assert serializer.loads(str(stored).encode() if isinstance(stored, int) else stored) == value


def test_integers_are_stored_so_that_redis_can_add_to_them() -> None:
    assert JsonSerializer().dumps(7) == 7
    assert type(JsonSerializer().dumps(True)) is str


def test_a_value_that_a_client_of_redis_wrote_runs_no_code() -> None:
    cache = ForgivingRedisCache("redis://127.0.0.1:9/0", {"OPTIONS": {"socket_timeout": 1}})
    with pytest.raises(ValueError):  # noqa: PT011 - what says so depends on the bytes
        cache._cache._serializer.loads(pickle.dumps(Attack()))  # type: ignore[attr-defined]  # what a read calls
    assert OPENED == []
