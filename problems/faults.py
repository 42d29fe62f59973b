"""Collects the faults of a package, so that an author sees all of them at once."""

from dataclasses import dataclass, field

FILE = "problem.toml"
MOST_FAULTS = 100  # in one message


class PackageInvalid(Exception):
    """Raised when a problem package breaks the format. The message lists every fault, one per line.

    A fault reads `problems/<slug>/<file>: <key>: <what is wrong and what to do>`. Entries of an array
    are counted from 0.
    """

    def __init__(self, faults: tuple[str, ...]) -> None:
        super().__init__("\n".join(faults))
        self.faults = faults


@dataclass(slots=True)
class Faults:
    """Collects the faults of one package. `table_file` is the file whose tables are read."""

    slug: str
    table_file: str = FILE
    texts: list[str] = field(default_factory=list)

    def add(self, file: str, key: str, text: str) -> None:
        """Record a fault in `key` of `file`. `key` is empty if the whole file is at fault."""
        place = f"problems/{self.slug}/{file}" if file else f"problems/{self.slug}"
        self.texts.append(f"{place}: {key}: {text}" if key else f"{place}: {text}")

    @property
    def count(self) -> int:
        """The number of faults until now."""
        return len(self.texts)

    def raise_any(self) -> None:
        """Raise PackageInvalid with the first MOST_FAULTS faults, if there are any."""
        if len(self.texts) > MOST_FAULTS:
            left = len(self.texts) - MOST_FAULTS
            raise PackageInvalid((*self.texts[:MOST_FAULTS], f"problems/{self.slug}: and {left} more"))
        if self.texts:
            raise PackageInvalid(tuple(self.texts))
