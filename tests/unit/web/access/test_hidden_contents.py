"""Searches everything that the site shows learners for contents of packages that they must not see.

The test writes, proves, publishes and rejudges a problem. Everything that only its authors may know contains
a mark: hidden cases, reference, solutions, seeds, findings, comments, notes. Then users of all other roles
request every address.
"""

import re
from collections.abc import Iterator

import pytest
from django.db import transaction
from django.test import Client
from pytest_django import DjangoDbBlocker

from judge.report import Report
from problems.archive import pack
from problems.contents import Contents
from problems.vocabulary import Language, Mode, Verdict
from tests.unit.web.access.asking import ask
from tests.unit.web.access.routes import Route, every_route
from tests.unit.web.access.world import World, make_world
from web.accounts.models import User
from web.accounts.services import issue_token
from web.authoring import queries
from web.authoring.models import ProofRun, Role, RunKind, Workspace
from web.authoring.problem_templates import begin
from web.authoring.services import comments, files, members, publishing, workspaces
from web.packages import services as packages
from web.packages.models import PackageVersion
from web.privacy import export
from web.rejudges.queue import queue as hidden_runs
from web.submissions import services
from web.submissions.models import Submission

pytestmark = pytest.mark.django_db

MARK = "authors-only"
SECRET_SIZE = 61843301
HIDDEN = re.compile(rf"{MARK}|(?<![\d.]){SECRET_SIZE}(?![\d.])")
# An instructor is the owner of another workspace, and a learner views it.
OUTSIDERS = ("anonymous", "learner", "instructor")
# Signing in and its like know nothing of problems; `test_sweep` opens them too.
_ACCOUNTS = ("accounts/", "admin/")
PAGES = [r for r in every_route() if "GET" in r.methods and not r.path.startswith(_ACCOUNTS)]
_CASE = f'\n[[cases]]\nname = "{MARK}-case"\ngroup = "odd"\nsizes = {{ n = {SECRET_SIZE} }}\n'


@pytest.fixture(scope="module")
def marked(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[World]:
    with django_db_blocker.unblock(), transaction.atomic():
        world = make_world()
        _write(world)
        yield world
        transaction.set_rollback(True)


def _write(world: World) -> None:
    """Put a mark into everything that is the authors', publish it, and let others have one of theirs."""
    owner, staff = _person(world, "owner"), _person(world, "staff")
    workspace = Workspace.objects.get(slug="vector-add")
    now = queries.read(workspace)
    described = now["problem.toml"].decode().replace("\n[[solutions]]", f"{_CASE}\n[[solutions]]", 1)
    marked = {
        "problem.toml": described.encode(),
        "reference.py": now["reference.py"] + f"\n# {MARK}-reference\n".encode(),
        "solutions/plain.cu": now["solutions/plain.cu"] + f"\n// {MARK}-solution\n".encode(),
    }
    files.write(workspace, staff, workspace.revision, marked, f"{MARK}-note-of-a-revision")
    comments.comment(workspace, owner, path="statement.md", line=1, text=f"{MARK}-comment")
    revision = queries.present_revision(workspace)
    assert revision is not None
    ProofRun.objects.create(
        workspace=workspace,
        revision=revision,
        content_hash=revision.content_hash,
        kind=RunKind.PROOF,
        state="done",
        holds=True,
        failure=f"{MARK}-failure",
        progress={"steps": [{"kind": "checking", "text": f"{MARK}-step"}]},
        report={"format": 99, "text": f"{MARK}-report"},
        wanted={"seed": f"{MARK}-seed"},
        by=owner,
    )
    publishing.publish(workspace, staff, note=f"{MARK}-note-of-a-version")
    _preview(workspace, staff)
    instructor, learner = _person(world, "instructor"), _person(world, "learner")
    other = workspaces.create(instructor, "other-sum", begin("scan", title="Another sum"))
    members.set_role(other, instructor, learner, Role.VIEWER)


def _preview(workspace: Workspace, staff: User) -> None:
    """Let another version see a hidden run judged, with a hidden case in its message."""
    text = queries.read_file(workspace, "reference.py") or b""
    files.write(workspace, staff, workspace.revision, {"reference.py": text + b"# again\n"})
    version = packages.freeze(workspace.slug, _archive(workspace), staff, f"{MARK}-next")
    rejudge = publishing.preview(workspace, version, staff)
    while claim := hidden_runs.claim("w"):
        hidden_runs.record(claim, Report(Verdict.WRONG_ANSWER, f"{MARK}-message of a hidden run"))
    assert rejudge.runs.filter(verdict="wrong_answer").exists()


def _archive(workspace: Workspace) -> bytes:
    return pack(Contents(workspace.slug, queries.read(workspace)))


def _person(world: World, name: str) -> User:
    person = world.people[name]
    assert isinstance(person, User)
    return person


def _queries(route: Route) -> tuple[str, ...]:
    """How it is asked: as it is and, where it may be a list, narrowed to what the marks begin with."""
    word = MARK[:7]
    return ("",) if "{" in route.path else ("", f"q={word}&search={word}&tag={word}&person=owner")


@pytest.mark.parametrize("name", OUTSIDERS)
def test_nothing_that_is_the_authors_reaches_others(marked: World, name: str) -> None:
    told = {
        f"{route.path}?{query}": found
        for route in PAGES
        for query in _queries(route)
        if (found := HIDDEN.findall(ask(marked, name, route, QUERY_STRING=query).text))
    }
    assert told == {}


def test_its_authors_see_it(marked: World) -> None:
    """Or the sweep would look for what is nowhere."""
    seen = "".join(
        ask(marked, "owner", route).text for route in PAGES if route.path.startswith("author/{slug}")
    )
    for what in ("case", "reference", "solution", "comment", "note-of-a-revision", "note-of-a-version"):
        assert f"{MARK}-{what}" in seen, what
    assert str(SECRET_SIZE) in seen


def test_learners_have_the_problem_all_the_same(marked: World) -> None:
    route = next(route for route in PAGES if route.name == "problem")
    assert "Sums" in ask(marked, "learner", route).text


def test_nobody_copies_what_they_may_not_read(marked: World) -> None:
    route = next(route for route in every_route() if route.name == "api:create_workspace")
    wanted = {"data": '{"slug": "mine", "clone_of": "vector-add"}', "content_type": "application/json"}
    assert ask(marked, "instructor", route, "POST", **wanted).status == 404
    page = Route("clone", "author/vector-add/clone", ("GET", "POST"))
    assert ask(marked, "instructor", page, "POST").status == 404


def test_every_version_of_it_is_closed_to_others(marked: World) -> None:
    for version in PackageVersion.objects.filter(problem__slug="vector-add"):
        route = Route("zip", f"problems/vector-add/versions/{version.number}.zip", ("GET",))
        assert {ask(marked, name, route).status for name in OUTSIDERS} == {404}
        assert ask(marked, "owner", route).status == 200


def test_a_token_of_a_learner_or_of_an_author_for_other_things_opens_nothing(marked: World) -> None:
    for name in ("learner", "owner"):
        _, secret = issue_token(_person(marked, name), name="plain")
        for path in ("", "/files", "/versions", "/revisions", "/comments", "/archive.zip"):
            address = f"/api/v1/author/workspaces/vector-add{path}"
            answer = Client().get(address, headers={"Authorization": f"Bearer {secret}"})
            assert answer.status_code in {401, 403, 404}, address
            assert not HIDDEN.search(answer.content.decode())


def test_what_a_learner_is_told_while_it_is_judged_names_no_hidden_case(marked: World) -> None:
    learner = _person(marked, "learner")
    problem = PackageVersion.objects.filter(problem__slug="vector-add").latest("number").problem
    with transaction.atomic():
        given = services.submit(learner, problem, language=Language.CUDA, source="// mine", mode=Mode.SUBMIT)
        page = Client()
        page.force_login(learner)
        for path in (f"/submissions/{given.public_id}", f"/submissions/{given.public_id}.json"):
            assert not HIDDEN.search(page.get(path).content.decode())
        assert Submission.objects.filter(pk=given.pk).exists()
        transaction.set_rollback(True)


def test_the_export_of_a_learner_has_nothing_of_it(marked: World) -> None:
    def whole(name: str) -> str:
        return "".join(export.document(_person(marked, name)))

    assert not HIDDEN.search(whole("learner"))
    assert not HIDDEN.search(whole("instructor"))
    assert f"{MARK}-comment" in whole("owner")
