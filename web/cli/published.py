"""What `warpcourt problem` does with what was published: versions, which one is live, putting them away."""

from typing import Annotated

import typer

from . import show, terminal
from .problem import HERE, AsJson, Folder, pulled

app = typer.Typer()
Number = Annotated[int, typer.Argument(help="Of the version, as `versions` lists it.")]
Undo = Annotated[bool, typer.Option("--undo", help="Take that back.")]


@app.command()
def versions(folder: Folder = HERE, as_json: AsJson = False) -> None:
    """List the versions that were published, the latest first."""
    with terminal.site() as client:
        rows = client.get(f"author/workspaces/{pulled(folder, client).slug}/versions")
    nothing = "Nothing was published yet: warpcourt problem publish"
    terminal.answer(rows, as_json=as_json, shown=show.versions(rows) if rows else nothing)


@app.command()
def live(number: Number, folder: Folder = HERE, as_json: AsJson = False) -> None:
    """Give learners a version: a frozen one, or an earlier one again."""
    with terminal.site() as client:
        slug = pulled(folder, client).slug
        version = client.post(f"author/workspaces/{slug}/versions/{number}/live", {})
    terminal.answer(version, as_json=as_json, shown=f"Version {number} of {slug} is live.")


@app.command()
def archive(number: Number, folder: Folder = HERE, undo: Undo = False, as_json: AsJson = False) -> None:
    """Leave a version that is not live out of the list on the pages. What it judged stays."""
    with terminal.site() as client:
        slug = pulled(folder, client).slug
        act, state = ("take-back", "back") if undo else ("archive", "archived")
        version = client.post(f"author/workspaces/{slug}/versions/{number}/{act}", {})
    terminal.answer(version, as_json=as_json, shown=f"Version {number} of {slug} is {state}.")


@app.command()
def withdraw(folder: Folder = HERE, undo: Undo = False, as_json: AsJson = False) -> None:
    """Hide from learners what was published. What they handed in stays theirs."""
    with terminal.site() as client:
        slug = pulled(folder, client).slug
        client.post(f"author/workspaces/{slug}/{'show' if undo else 'withdraw'}", {})
    text = f"Learners see {slug} again." if undo else f"Learners see nothing of {slug} any more."
    terminal.answer({"slug": slug, "withdrawn": not undo}, as_json=as_json, shown=text)
