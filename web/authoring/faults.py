"""Faults in the files of a workspace, by file and key, for the pages that show them."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from problems.faults import PackageInvalid
from web.authoring.folders import load
from web.authoring.models import Workspace

_FAULT = re.compile(
    r"problems/[^/:]+(?:/(?P<path>[^:]+))?: "
    r"(?:(?P<key>[a-z_]+(?:\[\d+\])?(?:\.[a-z0-9_]+(?:\[\d+\])?)*): )?(?P<text>.*)",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class PackageFault:
    """A fault of the package. `key` is its place in problem.toml, or empty if it concerns the whole file."""

    path: str
    key: str
    text: str

    @property
    def place(self) -> str:
        """Return the place of the fault in words."""
        return ": ".join(filter(None, [self.path, self.key]))


def faults_of(workspace: Workspace) -> tuple[PackageFault, ...]:
    """Return every fault of the current files. A valid problem has none."""
    try:
        load(workspace)
    except PackageInvalid as refusal:
        return faults_in(refusal)
    return ()


def faults_in(refusal: PackageInvalid) -> tuple[PackageFault, ...]:
    """Return the faults for which a package was refused."""
    return tuple(_parse(text) for text in refusal.faults)


def faults_at(faults: Iterable[PackageFault], *places: str) -> tuple[PackageFault, ...]:
    """Return the faults at `places`: files (`reference.py`), folders (`solutions/`) or keys (`cases`)."""
    return tuple(fault for fault in faults if any(_is_at(fault, place) for place in places))


def _is_at(fault: PackageFault, place: str) -> bool:
    if place.endswith("/"):
        return fault.path.startswith(place)
    if "." in place:
        return fault.path == place
    return fault.path == "problem.toml" and (not fault.key or re.split(r"[.\[]", fault.key)[0] == place)


def _parse(text: str) -> PackageFault:
    found = _FAULT.fullmatch(text)
    if found is None:
        return PackageFault("", "", text)
    return PackageFault(found["path"] or "", found["key"] or "", found["text"])
