"""The artifact cache: exact keys, atomic writes, a bound on its size."""

import os
from dataclasses import replace
from pathlib import Path

from judge.built import Built
from judge.cache import ArtifactCache, BuiltCache
from judge.report import KernelResources


def test_what_is_put_can_be_got(tmp_path: Path) -> None:
    cache = ArtifactCache(tmp_path)
    cache.put("k", b"artifact")
    assert cache.get("k") == b"artifact"
    assert cache.get("other") is None


def test_parts_cannot_be_shifted_between_each_other() -> None:
    assert ArtifactCache.key(["ab", "c"]) != ArtifactCache.key(["a", "bc"])
    assert ArtifactCache.key(["a", b"b"]) == ArtifactCache.key([b"a", "b"])


def test_the_least_recently_used_goes_first(tmp_path: Path) -> None:
    cache = ArtifactCache(tmp_path, max_bytes=250)
    for age, key in enumerate(["old", "new"]):
        cache.put(key, b"x" * 100)
        os.utime(tmp_path / key, (1000 + age, 1000 + age))
    assert cache.get("old") is not None  # touched, so `new` is now the older
    cache.put("third", b"x" * 100)
    assert cache.get("new") is None
    assert cache.get("old") is not None
    assert cache.get("third") is not None


def test_nothing_else_is_left_in_the_directory(tmp_path: Path) -> None:
    ArtifactCache(tmp_path).put("k", b"1")
    assert [path.name for path in tmp_path.iterdir()] == ["k"]


def test_what_was_built_for_a_gpu_comes_back_whole(tmp_path: Path) -> None:
    kernel = KernelResources("add", 12, 0, 0, 0, 0, constant_bytes=556)
    built = Built(
        contents=(b"\x7fELF\n\n", b"", b"manifest\n"),
        log="a warning\nin two lines",
        kernels=(kernel,),
        listings={"ptx": ".version 9.0\n"},
    )
    cache = BuiltCache(ArtifactCache(tmp_path))
    assert cache.get("k") is None
    cache.put("k", built)
    assert cache.get("k") == replace(built, cached=True)
