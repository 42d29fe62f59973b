"""The commands of `warpcourt problem` for published versions."""

from typing import Annotated

import typer

from . import show, terminal
from .problem import HERE, AsJson, Folder, pulled

app = typer.Typer()
Number = Annotated[int, typer.Argument(help="Number of the version, from `versions`.")]
Undo = Annotated[bool, typer.Option("--undo", help="Undo an earlier call of this command.")]


@app.command()
def versions(folder: Folder = HERE, as_json: AsJson = False) -> None:
    """List the published versions, the latest first."""
    with terminal.site() as client:
        rows = client.get(f"author/workspaces/{pulled(folder, client).slug}/versions")
    nothing = "Nothing has been published yet. Run: warpcourt problem publish"
    terminal.answer(rows, as_json=as_json, shown=show.versions(rows) if rows else nothing)


@app.command()
def live(number: Number, folder: Folder = HERE, as_json: AsJson = False) -> None:
    """Make a frozen or earlier version live, so that learners see it."""
    with terminal.site() as client:
        slug = pulled(folder, client).slug
        version = client.post(f"author/workspaces/{slug}/versions/{number}/live", {})
    terminal.answer(version, as_json=as_json, shown=f"Version {number} of {slug} is live.")


@app.command()
def archive(number: Number, folder: Folder = HERE, undo: Undo = False, as_json: AsJson = False) -> None:
    """Hide a version that is not live from the site's list. Its submissions stay."""
    with terminal.site() as client:
        slug = pulled(folder, client).slug
        act, state = ("take-back", "unarchived") if undo else ("archive", "archived")
        version = client.post(f"author/workspaces/{slug}/versions/{number}/{act}", {})
    terminal.answer(version, as_json=as_json, shown=f"Version {number} of {slug} is {state}.")


@app.command()
def withdraw(folder: Folder = HERE, undo: Undo = False, as_json: AsJson = False) -> None:
    """Hide a published problem from learners. They keep their submissions."""
    with terminal.site() as client:
        slug = pulled(folder, client).slug
        client.post(f"author/workspaces/{slug}/{'show' if undo else 'withdraw'}", {})
    text = f"{slug} is visible to learners again." if undo else f"{slug} is now hidden from learners."
    terminal.answer({"slug": slug, "withdrawn": not undo}, as_json=as_json, shown=text)
