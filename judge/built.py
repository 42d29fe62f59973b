"""The result of a compilation: value types only."""

from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field

from judge.report import Diagnostic, KernelResources
from problems.vocabulary import Verdict


@dataclass(frozen=True, slots=True)
class Built:
    """A compiled program: `contents` for a runner to load, or a `failure` with `message` and `diagnostics`.

    `log` is the output of the compiler. A program that was compiled for a GPU also has `kernels` and
    `listings` (`ptx`, `sass`). `later` provides listings that are made after the program. `cached` says that
    the program came from the cache.
    """

    contents: tuple[bytes, ...] = ()
    log: str = ""
    failure: Verdict | None = None
    message: str = ""
    diagnostics: tuple[Diagnostic, ...] = ()
    kernels: tuple[KernelResources, ...] = ()
    listings: Mapping[str, str] = field(default_factory=dict)
    cached: bool = False
    later: "Future[Mapping[str, str]] | None" = None
