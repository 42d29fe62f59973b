"""Tests indexes and checks on a table in use: added, removed, and added again after a failed attempt."""

import pytest

pytestmark = pytest.mark.integration

TRY_ALL = """
import json
from django.core.management import call_command
call_command("migrate", "quotas", verbosity=0)  # deleting a node asks this table, and it needs the nodes
from django.db import IntegrityError, NotSupportedError, connection
from django.db.migrations.loader import MigrationLoader
from django.db.models import CheckConstraint, Index, Q
from web.fleet.models import Node
from web.site.live_operations import AddCheckLive, AddIndexLive, RemoveIndexLive

found = {}
state = MigrationLoader(connection).project_state()

def names():
    with connection.cursor() as cursor:
        there = connection.introspection.get_constraints(cursor, "fleet_node")
    return sorted(name for name in there if name.startswith("made_up"))

def apply(operation, before, *, backwards=False, atomic=False):
    after = before.clone()
    operation.state_forwards("fleet", after)
    with connection.schema_editor(atomic=atomic) as editor:
        if backwards:
            operation.database_backwards("fleet", editor, after, before)
        else:
            operation.database_forwards("fleet", editor, before, after)
    return after

index = AddIndexLive("node", Index(fields=["heartbeat"], name="made_up_index"))
with_index = apply(index, state)
apply(index, state)
found["index, twice"] = names()
apply(RemoveIndexLive("node", "made_up_index"), with_index)
found["removed"] = names()
apply(RemoveIndexLive("node", "made_up_index"), with_index, backwards=True)
found["removed and back"] = names()
apply(index, state, backwards=True)
found["index and back"] = names()

bad = Node.objects.create(name="bad")
check = AddCheckLive("node", CheckConstraint(condition=~Q(name="bad"), name="made_up_check"))
try:
    apply(check, state)
except IntegrityError:
    found["a row breaks it"] = True
Node.objects.all().delete()
apply(check, state)
found["check, again"] = names()
try:
    Node.objects.create(name="bad")
except IntegrityError:
    found["it holds"] = True
apply(check, state, backwards=True)
found["check and back"] = names()
try:
    apply(index, state, atomic=True)
except NotSupportedError as error:
    found["in a transaction"] = str(error)
print(json.dumps(found))
"""


def test_what_is_made_live_is_there_and_can_be_taken_back(new_site):
    site = new_site()
    found = site.python(TRY_ALL)
    refused = found.pop("in a transaction", None)
    assert ("atomic = False" in refused) if site.database_url else (refused is None)
    assert found == {
        "index, twice": ["made_up_index"],
        "removed": [],
        "removed and back": ["made_up_index"],
        "index and back": [],
        "a row breaks it": True,
        "check, again": ["made_up_check"],
        "it holds": True,
        "check and back": [],
    }
