"""`translator in.ptx out.cpp`: exit status 0, or 1 with a message when the PTX cannot be read.

Runs as a module (`python -m sandbox.cpu.translator`) and by path, where there is no package around it.
"""

import importlib
import sys
from pathlib import Path


def main(arguments: list[str]) -> int:
    """Translate one file."""
    if len(arguments) != 2:
        sys.stderr.write("usage: translator in.ptx out.cpp\n")
        return 2
    package = importlib.import_module(_package())
    errors = importlib.import_module(f"{package.__name__}.errors")
    source, target = (Path(argument) for argument in arguments)
    try:
        text = package.translate(source.read_text("utf-8", "replace"))
    except errors.TranslationError as error:
        sys.stderr.write(f"{source}: {error}\n")
        return 1
    target.write_text(text, "utf-8")
    return 0


def _package() -> str:
    """The package's name; run by path, Python knows none, and the folder's name serves."""
    if __package__:
        return __package__
    folder = Path(__file__).resolve().parent
    sys.path[0] = str(folder.parent)
    return folder.name


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
