"""Times of the accepted shipped solutions on a GPU, for the editorials.

`python -m benchmarks.solutions --record` measures them and writes them to `measured/GPU.json`. A table
belongs to one version of a problem. After a change that can affect verdicts, the editorial shows no times
until new ones are measured.
"""

import json
import statistics
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).with_name("measured")


@dataclass(frozen=True, slots=True)
class Line:
    """A solution and its times in the cases of its table, in microseconds.

    `language` is the value of a `Language`.
    """

    name: str
    language: str
    times_us: tuple[float, ...]

    @property
    def score_us(self) -> float:
        """Return the figure that ranks: the geometric mean."""
        return statistics.geometric_mean(self.times_us)


@dataclass(frozen=True, slots=True)
class Table:
    """The times for one version of a problem, in the order of its solutions."""

    version: str
    cases: tuple[str, ...]
    lines: tuple[Line, ...]

    @property
    def ranked(self) -> tuple[Line, ...]:
        """Return the lines, slowest first, which is the order of an editorial."""
        return tuple(sorted(self.lines, key=lambda line: -line.score_us))


@dataclass(frozen=True, slots=True)
class OnGpu:
    """A table with the model of the GPU, as the driver names it."""

    gpu: str
    table: Table


def tables_of(slug: str, version: str) -> tuple[OnGpu, ...]:
    """Return the tables of this version of the problem, one for each model of GPU that was measured."""
    found = ((gpu, tables.get(slug)) for gpu, tables in _all().items())
    return tuple(OnGpu(gpu, table) for gpu, table in found if table is not None and table.version == version)


def record(gpu: str, tables: Mapping[str, Table]) -> None:
    """Write the tables of problems, by slug. Tables of other problems stay."""
    path = _FOLDER / f"{gpu.lower().replace(' ', '-')}.json"
    kept = _read(path)[1] if path.exists() else {}
    rows = {slug: asdict(table) for slug, table in sorted({**kept, **tables}.items())}
    _FOLDER.mkdir(exist_ok=True)
    path.write_text(json.dumps({"gpu": gpu, "problems": rows}, indent=1) + "\n", encoding="utf-8")


@cache
def _all() -> Mapping[str, Mapping[str, Table]]:
    return dict(_read(path) for path in sorted(_FOLDER.glob("*.json")))


def _read(path: Path) -> tuple[str, dict[str, Table]]:
    body = json.loads(path.read_text(encoding="utf-8"))
    return body["gpu"], {slug: _table(row) for slug, row in body["problems"].items()}


def _table(row: Mapping[str, Any]) -> Table:
    lines = (Line(line["name"], line["language"], tuple(line["times_us"])) for line in row["lines"])
    return Table(row["version"], tuple(row["cases"]), tuple(lines))
