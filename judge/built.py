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

    def all_listings(self, patience_s: float = 1.0) -> Mapping[str, str]:
        """The listings, as far as they are there after `patience_s`."""
        if self.later is None:
            return self.listings
        try:
            return self.later.result(patience_s)
        except Exception:  # noqa: BLE001 - no verdict depends on a listing, whatever went wrong with it
            return self.listings
