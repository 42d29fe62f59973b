"""Shows the faults of problem.toml at the form fields that caused them.

A fault has a key, such as `cases[2].sizes.n`. The form of that row shows it at the field of that size. A form
with submitted values shows its own errors only.
"""

import re
from collections.abc import Iterable, Mapping

from django import forms

from web.authoring.faults import PackageFault
from web.authoring.pages import DESCRIPTION

CASES: Mapping[str, str] = {"group": "group", "inputs": "inputs"}
ARGUMENTS: Mapping[str, str] = {"role": "role", "dtype": "dtype", "shape": "extent", "value": "extent"}
SOLUTIONS: Mapping[str, str] = {
    name: name for name in ("verdict", "gpu_verdicts", "note", "baseline", "label")
}
LIMITS: Mapping[str, str] = {
    **{name: name for name in ("compile_s", "case_s", "memory_mib", "source_kib", "gpus", "libraries")},
    **{name: name for name in ("device_launches", "sizes")},
}
FIX: Mapping[str, str] = {name: name for name in ("given", "changes", "tokens", "protected")}
UNDER_TEST: Mapping[str, str] = {name: name for name in ("faulty", "least_killed")}
FORMULAS: Mapping[str, str] = {"bytes": "bytes_moved", "operations": "operations"}
ABOUT: Mapping[str, str] = {name: name for name in ("title", "summary", "difficulty", "tags", "track_day")}
TOLERANCE: Mapping[str, str] = {"absolute": "absolute", "nan": "nan"}


def show_rows(
    rows: Iterable[forms.Form],
    faults: Iterable[PackageFault],
    key: str,
    fields: Mapping[str, str],
    default: str,
) -> None:
    """Show faults of the array of tables `key` at the forms of its rows, which know their old positions."""
    found = tuple(faults)
    for at, form in enumerate(rows):
        show(form, found, f"{key}[{at}]", fields, default)


def show(
    form: forms.Form,
    faults: Iterable[PackageFault],
    prefix: str,
    fields: Mapping[str, str],
    default: str = "",
) -> None:
    """Show faults below the key `prefix` at their fields, by the next part of the key.

    Sizes have a field for each name. Other faults are shown at the field `default`, or not at all.
    """
    if form.is_bound:
        return
    for fault in faults:
        if fault.path != DESCRIPTION or not _is_below(fault.key, prefix):
            continue
        parts = [part for part in re.split(r"[.\[\]]+", fault.key[len(prefix) :]) if part]
        size = f"size_{parts[1]}" if parts[:1] == ["sizes"] and len(parts) > 1 else ""
        name = size if size in form.fields else fields.get(parts[0] if parts else "", default)
        if name in form.fields:
            form.errors.setdefault(name, form.error_class()).append(fault.text)


def _is_below(key: str, prefix: str) -> bool:
    return not prefix or key == prefix or key.startswith((f"{prefix}.", f"{prefix}["))
