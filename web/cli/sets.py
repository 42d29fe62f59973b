"""`warpcourt import`: import a local set of problems to the site.

The command sends the folder. The site's workers read it and run its code in their sandboxes. No code of the
set runs on this machine.
"""

import io
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Group, RenderableType

from . import exits, show, terminal
from .client import Body, Client

# Programs in unsupported languages are sent too, so that the report says that they were skipped.
_SENT = {
    ".c",
    ".cc",
    ".cpp",
    ".java",
    ".py",
    ".md",
    ".html",
    ".cu",
    ".yml",
    ".yaml",
    ".toml",
    ".svg",
    ".png",
    ".webp",
    ".txt",
    ".json",
    ".tex",
}
_MOST_FILE_BYTES = 2 << 20
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.25, 3.0


def import_set(
    set_format: Annotated[
        str, typer.Argument(metavar="FORMAT", help="leetgpu, tensara, gpu_mode, kernel_bench or kattis.")
    ],
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder of the set.")],
    scale: Annotated[bool, typer.Option("--scale", help="Enlarge timed cases below 1 MiB.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the site's response as JSON.")] = False,
) -> None:
    """Import a set of problems in another format. Exit status: 1 if one of them is refused."""
    if not folder.is_dir():
        terminal.fail(f"{folder} is not a directory.", exits.USAGE)
    with terminal.site() as client:
        run = client.upload(
            "author/sets", "archive", packed(folder), format=set_format, scale=str(scale).lower()
        )
        run = _follow(client, run, quiet=as_json)
    terminal.answer(run, as_json=as_json, shown=_shown(run))
    refused = [problem for problem in run["problems"] if problem["outcome"] == "refused"]
    raise typer.Exit(exits.FAILED if refused or run["failure"] or run["state"] != "done" else 0)


def packed(folder: Path) -> bytes:
    """The files that importers read, as a ZIP file, without links and hidden folders."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in _files(folder):
            # Include the folder's name: if the folder is one problem, this is the name of the problem.
            archive.write(path, f"{folder.resolve().name}/{path.relative_to(folder).as_posix()}")
    return content.getvalue()


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        hidden = any(part.startswith((".", "__pycache__")) for part in parts)
        linked = any(parent.is_symlink() for parent in (path, *path.parents) if parent.is_relative_to(folder))
        if hidden or linked or not path.is_file() or path.suffix not in _SENT:
            continue
        if path.stat().st_size <= _MOST_FILE_BYTES:
            yield path


def _follow(client: Client, run: Body, *, quiet: bool) -> Body:
    shown, pause_s = "", _FIRST_PAUSE_S
    while run["state"] not in {"done", "cancelled"}:
        time.sleep(pause_s)
        run = client.get(f"author/sets/{run['id']}")
        if run["progress"] != shown and not quiet:
            shown = run["progress"]
            show.plain(terminal.progress(), f"  {shown}")
        pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
    return run


def _shown(run: Body) -> RenderableType:
    lines = []
    for problem in run["problems"]:
        where = f" as {problem['slug']}, revision {problem['revision']}" if problem["revision"] else ""
        lines.append(show.clean(f"{problem['place']}: {problem['outcome']}{where}"))
        lines += [show.clean(f"    {text}") for text in (problem["reason"], *problem["warnings"]) if text]
    if run["failure"]:
        lines.append(show.clean(run["failure"]))
    elif run["state"] == "cancelled":
        lines.append(show.clean("The import was cancelled."))
    return Group(*lines) if lines else show.clean("The folder contains no problem in this format.")
