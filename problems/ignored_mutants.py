"""`[[mutants_ignored]]`: mutants that the author declares equivalent to the original."""

from collections.abc import Collection

from problems.faults import FILE, Faults
from problems.schema import IgnoredMutant
from problems.table import TomlTable

KEY = "mutants_ignored"
_NAME = "[a-z]+(-[a-z]+)*-[1-9][0-9]*"
_EXAMPLE = "off-by-one-launch-1"


def parse_ignored(top: TomlTable) -> tuple[IgnoredMutant, ...]:
    """Parse the entries of problem.toml."""
    return tuple(_entry(table) for table in top.tables(KEY)) if top.has(KEY) else ()


def check_ignored(entries: tuple[IgnoredMutant, ...], accepted: Collection[str], faults: Faults) -> None:
    """Check that each entry names a mutant of an `accepted` solution, and that none is repeated."""
    seen: list[tuple[str, str]] = []
    for index, entry in enumerate(entries):
        place = (entry.file, entry.mutant)
        if entry.file and entry.file not in accepted:
            faults.add(
                FILE,
                f"{KEY}[{index}].file",
                f"{entry.file!r} is not an accepted solution, and only accepted solutions have "
                "mutants; remove this entry",
            )
        elif place in seen:
            faults.add(FILE, f"{KEY}[{index}]", f"is {KEY}[{seen.index(place)}] repeated; remove one")
        seen.append(place)


def _entry(table: TomlTable) -> IgnoredMutant:
    entry = IgnoredMutant(
        file=table.text("file", most=60, example="plain.cu"),
        mutant=table.text("mutant", most=60, pattern=_NAME, example=_EXAMPLE),
        line=table.text("line", most=200, example='"if (i < n) {"'),
        reason=table.text("reason", most=300, example='"The last block has nothing to do."'),
    )
    table.close()
    return entry
