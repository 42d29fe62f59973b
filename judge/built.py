"""What compiling yields. Values only."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from judge.report import KernelResources
from problems.vocabulary import Verdict


@dataclass(frozen=True, slots=True)
class Built:
    """The `contents` that a runner loads, or a `failure` with its `message`.

    `log` is the compiler's text. `kernels` and `listings` (`ptx`, `sass`) are there where it compiled for a
    GPU. `cached` says that nothing had to be compiled.
    """

    contents: tuple[bytes, ...] = ()
    log: str = ""
    failure: Verdict | None = None
    message: str = ""
    kernels: tuple[KernelResources, ...] = ()
    listings: Mapping[str, str] = field(default_factory=dict)
    cached: bool = False
