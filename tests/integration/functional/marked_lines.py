"""Finds lines of a test program by the comments at their ends, such as `// racing`."""


def marked_lines(source: str, mark: str, *, kernel: str = "") -> list[int]:
    """Return the numbers of the lines of `source` that end with the comment `mark`.

    With `kernel`, only those after the first line of that kernel count.
    """
    lines = list(enumerate(source.splitlines(), start=1))
    first = next((at for at, text in lines if f"void {kernel}(" in text), 0) if kernel else 0
    return [at for at, text in lines if at > first and text.endswith(f"// {mark}")]
