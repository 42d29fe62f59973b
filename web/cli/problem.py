"""`warpcourt problem`: write problems in a local folder, and prove them on the site."""

import time
from pathlib import Path
from typing import Annotated

import typer

from . import exits, package, show, terminal
from .client import Body, Client, RequestRefused, Unreachable
from .package import Pulled

app = typer.Typer(
    help="Write problems: pull, push, try, prove and publish them. "
    "Requires a token with the author scope: warpcourt login URL --author.",
    no_args_is_help=True,
)
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.25, 2.0
_MOST_FAILURES = 15  # consecutive failures, about half a minute; a restarting site is back by then

AsJson = Annotated[bool, typer.Option("--json", help="Print the site's response as JSON.")]
Folder = Annotated[Path, typer.Argument(metavar="[FOLDER]", help="The folder of the problem.")]
HERE = Path()


@app.command("list")
def list_workspaces(as_json: AsJson = False) -> None:
    """List the problems that you write, alone or with others."""
    with terminal.site() as client:
        rows = list(client.pages("author/workspaces", "workspaces", "after"))
    nothing = "No problems yet. Create one: warpcourt problem push FOLDER --create SLUG"
    terminal.answer(rows, as_json=as_json, shown=show.workspaces(rows) if rows else nothing)


@app.command()
def pull(
    slug: Annotated[
        str | None, typer.Argument(metavar="[SLUG]", help="Default: the problem in this folder.")
    ] = None,
    output: Annotated[Path | None, typer.Option(help="Default: a folder SLUG in this directory.")] = None,
    force: Annotated[bool, typer.Option(help="Overwrite local changes.")] = False,
    as_json: AsJson = False,
) -> None:
    """Download a problem to a folder, or update the folder."""
    folder = output or (HERE if slug is None else Path(slug))
    known = Pulled.load(folder) if slug is None or (folder / package.STATE).exists() else None
    wanted = slug or (known.slug if known else "")
    with terminal.site() as client:
        _require_site(known, client, wanted)
        if not force:
            _require_unchanged(client, folder, known, wanted)
        revision = _bring(client, folder, wanted, set(known.digests) if known else set())
    told = {"slug": wanted, "folder": str(folder), "revision": revision}
    terminal.answer(told, as_json=as_json, shown=f"{wanted} is in {folder}, at revision {revision}.")


@app.command()
def push(
    folder: Folder = HERE,
    note: Annotated[str, typer.Option(help="Description of the change, for the history.")] = "",
    create: Annotated[
        str | None, typer.Option(metavar="SLUG", help="Create a new problem from this folder.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Upload the changes in a folder. The site refuses them if another author changed the same file."""
    files = package.read_files(folder)
    with terminal.site() as client:
        if create is not None:
            made = client.upload("author/import", "archive", package.packed(create, files), slug=create)
            _agree(folder, client, create, made["revision"], files)
            _pushed_to(create, made["revision"], sorted(files), others=False, as_json=as_json)
            return
        known = pulled(folder, client)
        changes = package.changed_here(files, known)
        if not changes:
            _pushed_to(known.slug, known.revision, [], others=False, as_json=as_json)
            return
        revision, others = _send(client, known, changes, note)
        if others:
            # Fetch the other users' changes first, because the next push names this revision as its base.
            revision = _bring(client, folder, known.slug, set(files))
        else:
            _agree(folder, client, known.slug, revision, files)
    _pushed_to(known.slug, revision, sorted(changes), others=others, as_json=as_json)


@app.command()
def prove(
    folder: Folder = HERE,
    gpu: Annotated[str, typer.Option(help="Check the sizes of timed cases for this GPU model.")] = "",
    as_json: AsJson = False,
) -> None:
    """Prove the version of the problem on the site. Exit status: 7 if the proof fails."""
    with terminal.site() as client:
        known = _pushed(folder, client)
        run = client.post(f"author/workspaces/{known.slug}/proofs", {"gpu": gpu})
        run = _follow(client, known.slug, run, quiet=as_json)
    terminal.answer(run, as_json=as_json, shown=show.proof(run))
    raise typer.Exit(0 if run["holds"] else exits.NOT_PROVED)


@app.command("try")
def try_solutions(
    folder: Folder = HERE,
    file: Annotated[str | None, typer.Option(help="The solution to run, such as plain.cu.")] = None,
    language: Annotated[str | None, typer.Option(help="Run all solutions in cuda, triton or python.")] = None,
    as_json: AsJson = False,
) -> None:
    """Run solutions on the site without a proof. Exit status: 7 if one does not get its expected verdict."""
    if (file is None) == (language is None):
        terminal.fail("Name one of --file and --language.", exits.USAGE)
    wanted = {"language": language} if file is None else {"file": Path(file).name}
    with terminal.site() as client:
        known = _pushed(folder, client)
        run = client.post(f"author/workspaces/{known.slug}/trials", wanted)
        run = _follow(client, known.slug, run, quiet=as_json)
    terminal.answer(run, as_json=as_json, shown=show.trial(run))
    raise typer.Exit(0 if run["holds"] else exits.NOT_PROVED)


@app.command()
def publish(
    folder: Folder = HERE,
    note: Annotated[str, typer.Option(help="Description of the changes in this version.")] = "",
    freeze: Annotated[
        bool, typer.Option("--freeze", help="Create the version without showing it to learners.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Publish the problem as it is on the site. Its latest proof must hold."""
    with terminal.site() as client:
        known = _pushed(folder, client)
        body = {"note": note, "live": not freeze}
        version = client.post(f"author/workspaces/{known.slug}/versions", body)
    what = "is live" if version["live"] else "is frozen. Learners do not see it yet"
    terminal.answer(version, as_json=as_json, shown=f"Version {version['number']} of {known.slug} {what}.")


def _pushed_to(slug: str, revision: int, sent: list[str], *, others: bool, as_json: bool) -> None:
    """Print the result of a push."""
    many = f"{len(sent)} file{'' if len(sent) == 1 else 's'}"
    text = (
        f"Sent {many}. {slug} is at revision {revision}." if sent else "Nothing has changed in this folder."
    )
    if others:
        text += " Other authors changed other files in the meantime. The folder now has their changes."
    told = {"slug": slug, "revision": revision, "sent": sent, "others": others}
    terminal.answer(told, as_json=as_json, shown=text)


def _send(client: Client, known: Pulled, changes: dict[str, bytes | None], note: str) -> tuple[int, bool]:
    """Send `changes`. Return the new revision, and whether other users changed other files in the meantime.

    Every batch names the pulled revision as its base. Batches contain different files, so the site compares
    each only with other users' changes of its own files.
    """
    before, others = known.revision, False
    for batch in package.in_batches(changes):
        body = {"expected": known.revision, "changes": batch, "note": note}
        try:
            made = client.put(f"author/workspaces/{known.slug}/files", body)["revision"]
        except RequestRefused as refusal:
            if refusal.status == 409:
                terminal.fail(f"{refusal} To compare, pull the problem to another folder.", exits.CONFLICT)
            raise
        others |= made > before + 1
        before = made
    return before, others


def pulled(folder: Path, client: Client) -> Pulled:
    """The state of the folder, which must belong to this site."""
    known = Pulled.load(folder)
    _require_site(known, client, known.slug)
    return known


def _pushed(folder: Path, client: Client) -> Pulled:
    """The state of the folder, which must not have unsent changes."""
    known = pulled(folder, client)
    if package.changed_here(package.read_files(folder), known):
        terminal.fail(f"{folder} has unsent changes. Run: warpcourt problem push", exits.USAGE)
    return known


def _follow(client: Client, slug: str, run: Body, *, quiet: bool) -> Body:
    """Wait until a run is over, and print its steps. Tolerates a site that is down for a short time."""
    shown, pause_s, progress, failures = 0.0, _FIRST_PAUSE_S, terminal.progress(), 0
    if run["state"] == "queued" and not quiet:
        page = "solutions/runs" if run["kind"] == "trial" else "proof"
        show.plain(progress, f"Waiting for a worker. Progress: {client.url}/author/{slug}/{page}/{run['id']}")
    while run["state"] not in {"done", "cancelled"}:
        time.sleep(pause_s)
        pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
        try:
            run = client.get(f"author/workspaces/{slug}/runs/{run['id']}")
        except Unreachable:
            failures += 1
            if failures > _MOST_FAILURES:
                raise
            continue
        failures = 0
        fresh = [step for step in run["steps"] if step["at_s"] > shown and step["kind"] == "checked"]
        for step in fresh if not quiet else ():
            show.plain(progress, f"  {step['index']}/{step['total']} {step['text']}")
        shown = max([shown, *(step["at_s"] for step in fresh)])
    return run


def _agree(folder: Path, client: Client, slug: str, revision: int, files: dict[str, bytes]) -> None:
    digests = {path: package.digest(content) for path, content in files.items()}
    Pulled(client.url, slug, revision, digests).save(folder)


def _require_site(known: Pulled | None, client: Client, slug: str) -> None:
    if known and (known.url, known.slug) != (client.url, slug):
        terminal.fail(
            f"This folder holds {known.slug} from {known.url}, not {slug} from {client.url}.", exits.USAGE
        )


def _bring(client: Client, folder: Path, slug: str, here: set[str]) -> int:
    """Update the folder from the site, and delete the files in `here` that the site lacks.

    Return the revision.
    """
    told = client.get(f"author/workspaces/{slug}/files")
    files = package.received(told["files"])
    package.write_files(folder, files, here - set(files))
    _agree(folder, client, slug, told["revision"], files)
    revision: int = told["revision"]
    return revision


def _require_unchanged(client: Client, folder: Path, known: Pulled | None, slug: str) -> None:
    """Refuse to overwrite local changes that the site does not have."""
    if not folder.exists():
        return
    if known is None:
        if any(folder.iterdir()):
            terminal.fail(f"{folder} is not empty. Use --output, or --force to overwrite it.", exits.USAGE)
        return
    changed = package.changed_here(package.read_files(folder), known)
    if not changed:
        return
    theirs = package.received(client.get(f"author/workspaces/{slug}/files")["files"])
    lost = sorted(path for path, data in changed.items() if data != theirs.get(path))
    if lost:
        terminal.fail(
            f"{', '.join(lost)} changed in this folder. Push first, or use --force to overwrite.", exits.USAGE
        )
