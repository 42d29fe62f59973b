"""Progress of a submission: one changing line on a terminal, otherwise one line per step."""

from collections.abc import Callable

from rich.console import Console

from . import show
from .client import Body, Client


def watch(client: Client, public_id: str, progress: Console, *, quiet: bool = False) -> Body:
    """Wait until `public_id` is judged, and return it with its report. Prints progress to `progress`."""
    if quiet:
        _follow(client, public_id, _nothing)
    elif progress.is_terminal:
        with progress.status("Submitting") as status:
            _follow(client, public_id, lambda text: status.update(show.clean(text)))
    else:
        _follow(client, public_id, lambda text: show.plain(progress, text))
    answer: Body = client.get(f"submissions/{public_id}")
    return answer


def _follow(client: Client, public_id: str, tell: Callable[[str], None]) -> None:
    told = ""
    for event in client.follow(public_id):
        text = show.step(event.body, event.kind)
        if event.kind != "finished" and text != told:
            tell(text)
            told = text


def _nothing(_: str) -> None:
    pass
