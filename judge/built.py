"""The result of a compilation: value types only."""

from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field

from judge.report import Diagnostic, KernelResources
from problems.vocabulary import Verdict


@dataclass(frozen=True, slots=True)
class Built:
    """The `contents` that a runner loads, or a `failure` with its `message` and `diagnostics`.

    `log` is the compiler's text. `kernels` and `listings` (`ptx`, `sass`) are there where it compiled for a
    GPU; listings may come `later` than the program. `cached` says that nothing had to be compiled.
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
