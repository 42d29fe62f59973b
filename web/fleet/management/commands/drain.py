"""`manage.py drain NODE --reason TEXT`: drain a node before maintenance."""

import time

from django.core.management.base import BaseCommand, CommandError, CommandParser

from web.fleet import orders
from web.fleet.models import Node
from web.fleet.queries import find_node

POLL_S = 1.0


class Command(BaseCommand):
    help = (
        "Drain a node: its workers finish their submissions and take no new ones until `undrain`. "
        "With --wait, the command returns when they have finished. You can then stop the host."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("node", help="name of the node, as on /fleet")
        parser.add_argument("--reason", default="maintenance", help="the reason, which /fleet shows")
        parser.add_argument(
            "--wait",
            type=int,
            metavar="SECONDS",
            default=0,
            help="wait up to this long for the workers to finish",
        )

    def handle(self, *_: object, **options: object) -> None:
        name, wait_s = str(options["node"]), int(str(options["wait"]))
        node = known_node(name)
        try:
            orders.drain(None, node, reason=str(options["reason"]))
        except ValueError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{name} takes no new submissions")
        if wait_s:
            self._wait(name, wait_s)

    def _wait(self, name: str, wait_s: int) -> None:
        deadline = time.monotonic() + wait_s
        while (now := find_node(name)) is not None and not now.idle:
            if time.monotonic() > deadline:
                raise CommandError(
                    f"{name} is still judging {now.busy} submissions after {wait_s} s. It stays drained. "
                    "Wait longer, or stop its workers: they return unfinished submissions to the queue."
                )
            time.sleep(POLL_S)
        self.stdout.write(f"{name} is idle. You can stop its workers.")


def known_node(name: str) -> Node:
    """Return the node with this name.

    Raises:
        CommandError: it is not known. The message lists the known nodes.
    """
    node = Node.objects.filter(name=name).first()
    if node is None:
        names = (
            ", ".join(Node.objects.values_list("name", flat=True))
            or "none. A worker registers its node when it starts."
        )
        raise CommandError(f"Node {name!r} not found. Known nodes: {names}")
    return node
