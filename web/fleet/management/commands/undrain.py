"""`manage.py undrain NODE`: let the workers of a drained node take submissions again."""

from django.core.management.base import BaseCommand, CommandParser

from web.fleet import orders
from web.fleet.management.commands.drain import known_node


class Command(BaseCommand):
    help = "Undrain a node: its workers take submissions again within seconds."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("node", help="name of the node, as on /fleet")

    def handle(self, *_: object, **options: object) -> None:
        name = str(options["node"])
        changed = orders.undrain(None, known_node(name))
        self.stdout.write(f"{name} takes submissions again" if changed else f"{name} was not drained")
