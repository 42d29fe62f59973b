"""`translator in.ptx out.cpp`: exit status 0, or 1 with a message when the PTX cannot be read.

Runs as a module (`python -m sandbox.cpu.translator`) and by path, so that the compile sandbox needs no package.
"""

import sys


def main(arguments: list[str]) -> int:
    """Translate one file."""
    if len(arguments) != 2:
        sys.stderr.write("usage: translator in.ptx out.cpp\n")
        return 2
    try:
        with open(arguments[0], encoding="utf-8", errors="replace") as source:
            text = translate(source.read())
    except TranslationError as error:
        sys.stderr.write(f"{arguments[0]}: {error}\n")
        return 1
    with open(arguments[1], "w", encoding="utf-8") as output:
        output.write(text)
    return 0


if __name__ == "__main__":
    if __package__:
        from . import translate
        from .errors import TranslationError
    else:
        import os

        folder = os.path.dirname(os.path.abspath(__file__))
        sys.path[0] = os.path.dirname(folder)
        package = __import__(os.path.basename(folder), fromlist=["translate", "errors"])
        translate, TranslationError = package.translate, package.errors.TranslationError
    sys.exit(main(sys.argv[1:]))
