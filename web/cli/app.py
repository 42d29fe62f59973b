"""The commands of `warpcourt`. Each reads its input, calls the site and prints the response."""

import difflib
import json
import sys
from importlib.metadata import PackageNotFoundError, version
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer

from . import credentials, exits, header, package, problem, programs, published, sets, show, terminal
from .client import Client, RequestRefused, SiteError
from .watch import watch

app = typer.Typer(
    name="warpcourt",
    epilog="Exit status: 0 for success or an accepted program. Other verdicts: 10 to 20; see the help page.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)

problem.app.add_typer(published.app)
app.add_typer(problem.app, name="problem")
app.command("import")(sets.import_set)

AsJson = Annotated[bool, typer.Option("--json", help="Print the site's response as JSON.")]
Slug = Annotated[str, typer.Argument(metavar="SLUG", help="Slug of the problem, such as vector-add.")]
SaveProfile = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Save the report of Nsight Compute about a profiled run."),
]
Watch = Annotated[
    bool, typer.Option("--watch", help="Wait for the verdict. The exit status tells which one.")
]
File = Annotated[Path, typer.Argument(metavar="FILE", help="The program, a .cu or .py file.")]
Language = Annotated[str | None, typer.Option(help="cuda, triton or python.")]
Gpu = Annotated[str | None, typer.Option(help="GPU model, as the leaderboard names it.")]
ProblemOf = Annotated[str | None, typer.Option("--problem", help="Default: from the file's header comment.")]
_STATUSES = {401: exits.FORBIDDEN, 403: exits.FORBIDDEN, 404: exits.NOT_FOUND, 429: exits.LIMITED}


def main() -> None:
    """Run the command line. Report an error as one message and an exit status."""
    try:
        app()
    except (programs.ProgramUnusable, package.FolderUnusable, credentials.CredentialsInvalid) as error:
        terminal.fail(str(error), exits.USAGE)
    except RequestRefused as error:
        terminal.fail(str(error), _STATUSES.get(error.status, exits.FAILED))
    except SiteError as error:
        terminal.fail(str(error), exits.UNREACHABLE)


def _version(wanted: bool) -> None:
    if wanted:
        try:
            known = version("warpcourt")
        except PackageNotFoundError:
            known = "from a checkout"
        show.plain(terminal.out(), f"warpcourt {known}")
        raise typer.Exit


@app.callback()
def every(
    _: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Write GPU kernels in your own editor: pull a problem, submit a file and wait for its verdict."""


@app.command()
def login(
    url: Annotated[
        str, typer.Argument(metavar="URL", help="URL of the site, such as https://court.example.org.")
    ],
    username: Annotated[str | None, typer.Option(help="Default: prompt for it.")] = None,
    token_from_stdin: Annotated[
        bool,
        typer.Option(
            "--token-stdin", help="Read a token from standard input. Create one on the account page."
        ),
    ] = False,
    author: Annotated[
        bool,
        typer.Option("--author", help="Request a token that may also write problems (`warpcourt problem`)."),
    ] = False,
) -> None:
    """Sign in and store a token for later commands."""
    if "://" not in url:
        url = f"https://{url}"
    if not url.startswith(("http://", "https://")):  # before the user types a password
        raise typer.BadParameter(
            f"{url} is not the address of a site. It must begin with https:// or http://."
        )
    url = url.rstrip("/")
    if token_from_stdin:
        token = sys.stdin.readline().strip()
    else:
        username = username or typer.prompt("Username")
        password = typer.prompt("Password", hide_input=True)
        with Client(credentials.Credentials(url)) as client:
            scope = "author" if author else "submit"
            wanted = {"username": username, "password": password, "scope": scope}
            token = client.post("tokens", wanted)["token"]
    with Client(credentials.Credentials(url, token)) as client:
        name = client.get("profile")["username"]
    path = credentials.save(credentials.Credentials(url, token))
    show.plain(terminal.out(), f"Signed in to {url} as {name}. The token is stored in {path}.")


@app.command()
def logout() -> None:
    """Delete the stored token. It stays valid until you revoke it on the account page."""
    done = credentials.forget()
    show.plain(terminal.out(), "Signed out." if done else "You were not signed in.")


@app.command()
def problems(
    search: Annotated[str | None, typer.Argument(help="Words in the title or the summary.")] = None,
    difficulty: Annotated[str | None, typer.Option(help="easy, medium or hard.")] = None,
    tag: Annotated[str | None, typer.Option(help="List only problems with this tag.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the problems."""
    with terminal.site() as client:
        found = client.pages("problems", "problems", "after", search=search, difficulty=difficulty, tag=tag)
        rows = list(found)
    terminal.answer(rows, as_json=as_json, shown=show.problems(rows))


@app.command()
def pull(
    slug: Slug,
    language: Language = None,
    output: Annotated[
        Path | None, typer.Option(help="Default: SLUG with the suffix of the language, in this directory.")
    ] = None,
    force: Annotated[bool, typer.Option(help="Overwrite an existing file.")] = False,
) -> None:
    """Write the starter code of a problem to a file. Its header names the problem for `submit`."""
    with terminal.site() as client:
        problem = client.get(f"problems/{slug}")
    starters: dict[str, str] = problem["starters"]
    chosen = language or next(iter(starters))
    if chosen not in starters:
        terminal.fail(f"{problem['title']} accepts {' and '.join(starters)}, not {chosen}.", exits.USAGE)
    path = output or Path(f"{slug}{header.SUFFIXES[chosen]}")
    try:
        with path.open("w" if force else "x", encoding="utf-8") as file:
            file.write(header.write_header(slug, chosen) + starters[chosen])
    except FileExistsError:
        terminal.fail(f"{path} already exists. Use --force to overwrite it, or --output.", exits.USAGE)
    except OSError as error:
        terminal.fail(f"Cannot write {path}: {error.strerror}.", exits.USAGE)
    show.plain(
        terminal.out(), f"{problem['title']} is in {path}. To submit it: warpcourt submit {path} --watch"
    )


@app.command()
def hint(
    slug: Slug,
    opened: Annotated[bool, typer.Option("--opened", help="Show the opened hints and open none.")] = False,
    as_json: AsJson = False,
) -> None:
    """Open the next hint of a problem and print it. Opening hints changes no score, rank or mark."""
    with terminal.site() as client:
        found = client.get(f"problems/{slug}/hints") if opened else client.post(f"problems/{slug}/hints", {})
    terminal.answer(found, as_json=as_json, shown=show.hints(found, last_only=not opened))


@app.command()
def submit(
    file: File,
    problem: ProblemOf = None,
    language: Language = None,
    run: Annotated[bool, typer.Option("--run", help="Judge only the sample cases, without ranking.")] = False,
    gpu: Gpu = None,
    size: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=NUMBER", help="With --run: a custom size. Repeatable."),
    ] = None,
    values: Annotated[
        Path | None,
        typer.Option(metavar="FILE.json", help='With --run: custom values, such as {"a": [1, 2, "inf"]}.'),
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="With --run: a custom seed.")] = None,
    personal_node: Annotated[
        bool,
        typer.Option(
            "--personal-node", help="With --run: use one of your own nodes. The verdict does not count."
        ),
    ] = False,
    profiled: Annotated[
        bool, typer.Option("--profile", help="With --run: profile a CUDA program on a GPU.")
    ] = False,
    save_profile: SaveProfile = None,
    watch_it: Watch = False,
    as_json: AsJson = False,
) -> None:
    """Submit a file, or run it on the sample cases. With --save-profile, it waits for the verdict."""
    if save_profile:
        if not profiled:
            terminal.fail("--save-profile needs --run and --profile.", exits.USAGE)
        _check_new(save_profile)
    program = programs.read_program(file, problem=problem, language=language, gpu=gpu)
    body: dict[str, Any] = {
        "problem": program.problem,
        "language": program.language,
        "source": program.source,
        "mode": "run" if run else "submit",
        "sizes": _sizes(size or []),
        "values": _values(values) if values else None,
        "seed": seed,
        "gpu_model": program.gpu,
        "personal_node": personal_node or None,
        "profiled": profiled or None,
    }
    body = {name: value for name, value in body.items() if value is not None}
    with terminal.site() as client:
        row = client.post("submissions", body)
        url = f"{client.url}/s/{row['id']}"
        if watch_it or save_profile:
            if not as_json:
                show.plain(terminal.progress(), url)
            row = watch(client, row["id"], terminal.progress(), quiet=as_json)
            if save_profile:
                _save_profile(client, row, save_profile)
            _verdict(row, as_json=as_json)
    if as_json:
        terminal.print_json(row)
    else:
        show.plain(terminal.out(), f"{url}\nTo wait for the verdict: warpcourt status {row['id']} --watch")


@app.command()
def doctor(
    file: File,
    problem: ProblemOf = None,
    language: Language = None,
    size: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=NUMBER", help="Run a custom size instead of the samples. Repeatable."),
    ] = None,
    gpu: Gpu = None,
    as_json: AsJson = False,
) -> None:
    """Run a file on the sample cases and explain its three most important findings."""
    program = programs.read_program(file, problem=problem, language=language, gpu=gpu)
    body: dict[str, Any] = {
        "problem": program.problem,
        "language": program.language,
        "source": program.source,
        "mode": "run",
        "sizes": _sizes(size or []),
        "gpu_model": program.gpu,
    }
    body = {name: value for name, value in body.items() if value is not None}
    with terminal.site() as client:
        made = client.post("submissions", body)
        row = watch(client, made["id"], terminal.progress(), quiet=as_json)
        shown = show.diagnosis(row, file=str(file), site=client.url)
    terminal.answer(row, as_json=as_json, shown=shown)
    raise typer.Exit(exits.of_verdict(row["verdict"]))


@app.command()
def status(
    public_id: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="Default: list your latest submissions.")
    ] = None,
    save_profile: SaveProfile = None,
    watch_it: Watch = False,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Number of submissions to list.")] = 10,
    as_json: AsJson = False,
) -> None:
    """Show a submission with its report, or list your latest submissions."""
    if save_profile:
        if public_id is None:
            terminal.fail("--save-profile needs the ID of a run.", exits.USAGE)
        _check_new(save_profile)
    with terminal.site() as client:
        if public_id is None:
            rows = list(islice(client.pages("submissions", "submissions", "before"), limit))
            terminal.answer(rows, as_json=as_json, shown=show.submissions(rows))
            return
        row = client.get(f"submissions/{public_id}")
        if watch_it and row["state"] != "done":
            row = watch(client, public_id, terminal.progress(), quiet=as_json)
        if save_profile:
            _save_profile(client, row, save_profile)
    _verdict(row, as_json=as_json)


@app.command()
def cancel(public_id: Annotated[str, typer.Argument(metavar="ID")]) -> None:
    """Cancel a submission."""
    with terminal.site() as client:
        done = client.post(f"submissions/{public_id}/cancel", {})["cancelled"]
    show.plain(terminal.out(), "Cancelled." if done else "The submission has already finished.")


@app.command()
def leaderboard(slug: Slug, gpu: Gpu = None, language: Language = None, as_json: AsJson = False) -> None:
    """Show the leaderboard of a problem."""
    with terminal.site() as client:
        body = client.get(f"leaderboards/{slug}", gpu=gpu, language=language)
    terminal.answer(body, as_json=as_json, shown=show.leaderboard(body))


@app.command()
def diff(
    file: File,
    against: Annotated[
        str,
        typer.Option(
            metavar="accepted|best|ID", help="Your latest accepted submission, your fastest, or any."
        ),
    ] = "accepted",
    problem: ProblemOf = None,
    language: Language = None,
    as_json: AsJson = False,
) -> None:
    """Compare a file with an earlier submission. Exit status: 0 if they are equal, 1 if not."""
    with terminal.site() as client:
        if against in {"accepted", "best"}:
            program = programs.read_program(file, problem=problem, language=language)
            source, wanted = program.source, {"problem": program.problem, "language": program.language}
            earlier = client.get("submissions/own", which=against, **wanted)
        else:
            source = programs.read_source(file)
            earlier = client.get(f"submissions/{against}")
    names = (f"submission {earlier['id']}", str(file))
    before, after = earlier["source"].splitlines(), source.splitlines()
    lines = list(difflib.unified_diff(before, after, *names, lineterm=""))
    terminal.answer({"against": earlier["id"], "diff": lines}, as_json=as_json, shown=show.difference(lines))
    raise typer.Exit(exits.FAILED if lines else 0)


def _check_new(path: Path) -> None:
    if path.exists():
        terminal.fail(f"{path} already exists. Choose another name.", exits.USAGE)


def _save_profile(client: Client, row: dict[str, Any], path: Path) -> None:
    """Write the report of a profile to `path`, or print why there is none."""
    if row.get("profile_report") is None:
        profile = (row["report"] or {}).get("profile") or {}
        why = profile.get("missing") or profile.get("report_missing") or "The site has none for this run."
        show.plain(terminal.progress(), f"There is no report of Nsight Compute to save. {why}")
        return
    content = client.download(f"submissions/{row['id']}/profile.ncu-rep")
    try:
        with path.open("xb") as file:
            file.write(content)
    except OSError as error:
        terminal.fail(f"Cannot write {path}: {error.strerror}.", exits.USAGE)
    show.plain(terminal.progress(), f"The report of Nsight Compute is in {path}. Open it with ncu-ui {path}")


def _sizes(given: list[str]) -> dict[str, int] | None:
    sizes = {}
    for text in given:
        name, equals, number = text.partition("=")
        if not name or not equals or not number.isdecimal():
            terminal.fail(f"--size expects NAME=NUMBER with a whole number from 1, not {text}.", exits.USAGE)
        sizes[name] = int(number)
    return sizes or None


def _values(path: Path) -> dict[str, Any]:
    try:
        given = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        terminal.fail(f"Cannot read {path}: {error.strerror}.", exits.USAGE)
    except (ValueError, RecursionError) as error:
        terminal.fail(f"{path} is not JSON: {error}.", exits.USAGE)
    if not isinstance(given, dict):
        terminal.fail(f'{path} must hold an object, such as {{"a": [1, 2, "inf"]}}.', exits.USAGE)
    return given


def _verdict(row: dict[str, Any], *, as_json: bool) -> None:
    terminal.answer(row, as_json=as_json, shown=show.submission(row))
    raise typer.Exit(exits.of_verdict(row["verdict"]) if row["state"] == "done" else 0)
