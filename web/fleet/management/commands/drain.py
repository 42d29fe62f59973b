"""`manage.py drain NODE --reason TEXT`: let the workers of a node finish, and take nothing more."""

import time

from django.core.management.base import BaseCommand, CommandError, CommandParser

from web.fleet import orders
from web.fleet.models import Node
from web.fleet.queries import find_node

POLL_S = 1.0


class Command(BaseCommand):
    help = (
        "Let the workers of a node finish what they judge, and take nothing more until undrain. "
        "With --wait it returns when they have finished, so that the host can be stopped."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("node", help="its name, as /fleet shows it")
        parser.add_argument("--reason", default="maintenance", help="why; others read it")
        parser.add_argument(
            "--wait", type=int, metavar="SECONDS", default=0, help="wait this long for them to finish"
        )

    def handle(self, *_: object, **options: object) -> None:
        name, wait_s = str(options["node"]), int(str(options["wait"]))
        node = known_node(name)
        try:
            orders.drain(None, node, reason=str(options["reason"]))
        except ValueError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{name} takes nothing more")
        if wait_s:
            self._wait(name, wait_s)

    def _wait(self, name: str, wait_s: int) -> None:
        deadline = time.monotonic() + wait_s
        while (now := find_node(name)) is not None and not now.idle:
            if time.monotonic() > deadline:
                raise CommandError(
                    f"{name} still judges {now.busy} after {wait_s} s. It stays drained: wait longer, or "
                    "stop its workers, which hand back what they have not finished."
                )
            time.sleep(POLL_S)
        self.stdout.write(f"{name} judges nothing; its workers can be stopped")


def known_node(name: str) -> Node:
    """The node of that name.

    Raises:
        CommandError: there is none; the message names those that there are.
    """
    node = Node.objects.filter(name=name).first()
    if node is None:
        names = ", ".join(Node.objects.values_list("name", flat=True)) or "none; a worker reports its own"
        raise CommandError(f"There is no node {name!r}. Known nodes: {names}")
    return node
