"""`docs/functional-mode-instructions.md`, written from the tables.

Run `python -m sandbox.cpu.translator.documentation` from the repository after changing a table.
"""

from pathlib import Path

from .tables import ENTRIES
from .tables.entry import InstructionEntry

PAGE = Path(__file__).parents[3] / "docs" / "functional-mode-instructions.md"

_FAMILIES = {
    "9.7.1": "Integer arithmetic",
    "9.7.2": "Extended-precision integer arithmetic",
    "9.7.3": "Floating point",
    "9.7.4": "Half precision",
    "9.7.5": "Mixed precision",
    "9.7.6": "Comparison and selection",
    "9.7.7": "Half-precision comparison",
    "9.7.8": "Logic and shifts",
    "9.7.9": "Data movement and conversion",
    "9.7.10": "Textures",
    "9.7.11": "Surfaces",
    "9.7.12": "Control flow",
    "9.7.13": "Synchronisation and communication",
    "9.7.14": "Matrices",
    "9.7.19": "Miscellaneous",
}

_HEAD = """# PTX instructions in functional mode

Functional mode runs a submission's PTX on the CPU. This page lists the instructions that it knows, with the
section of the PTX ISA 9.0 that each follows, and where a result may differ from a GPU's. It is generated from
the tables in `sandbox/cpu/translator/tables/`; regenerate it with
`python -m sandbox.cpu.translator.documentation`.

An instruction that is not listed, or has a word or a shape that PTX does not have, fails when a thread
reaches it, with a message that names it and its line.

In general: every operation is rounded as PTX says, in the rounding mode that it names, with `.ftz` and `.sat`
applied. A NaN keeps its payload where a GPU would make 0x7fffffff. Cache hints, scopes narrower than the
system and `.uni` change nothing.
"""


def document() -> str:
    """The text of the page."""
    parts = [_HEAD]
    for number, title in _FAMILIES.items():
        entries = [entry for entry in ENTRIES if _family(entry) == number]
        if not entries:
            continue
        rows = "\n".join(
            f"| {entry.section} | `{_cell(entry.syntax)}` | {_cell(entry.note)} |" for entry in entries
        )
        parts.append(f"## {title} ({number})\n\n| section | forms | differences |\n|---|---|---|\n{rows}\n")
    return "\n".join(parts)


def _family(entry: InstructionEntry) -> str:
    return ".".join(entry.section.split(" ")[0].split(".")[:3])


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(document(), encoding="utf-8")
