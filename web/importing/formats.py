"""The formats of sets that can be imported, with their names on pages."""

from dataclasses import dataclass

from judge.proof import importing


@dataclass(frozen=True, slots=True)
class Format:
    """A format: its name in runs and commands, its name on pages, and a description of its files."""

    name: str
    label: str
    words: str


_KNOWN = (
    Format("leetgpu", "LeetGPU challenges", "challenges/<difficulty>/<id>_<slug>/ with challenge.py"),
    Format("tensara", "Tensara definitions", "problems/<slug>/ with def.py and problem.md"),
    Format("gpu_mode", "GPU MODE tasks", "folders with task.yml and reference.py"),
    Format("kernel_bench", "KernelBench files", "Python files with Model, get_inputs and get_init_inputs"),
    Format("kattis", "Kattis packages", "problem folders with expected verdicts in submissions/"),
)
FORMATS = tuple(known for known in _KNOWN if known.name in importing.FORMATS)


def label_of(name: str) -> str:
    """Return the name of a format on pages."""
    return next((known.label for known in _KNOWN if known.name == name), name)
