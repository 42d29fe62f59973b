"""A world of users, with one object of every kind that an address can name."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.contrib.auth.models import Group as UserGroup
from django.test import Client

from judge.report import CaseReport, Mismatch, Profile, Replay, Report, Score
from problems.quiz_files import check_quiz
from problems.vocabulary import BaselineKind, Group, Language, Mode, Verdict
from sandbox.gpu.fake_nvml import fake_gpu
from tests.conftest import new_problem
from tests.unit.web.access.authoring import furnish, keys_of, open_workspace, values_of
from tests.unit.web.access.routes import Route
from web.accounts.models import User
from web.accounts.services import issue_token
from web.catalog.models import Problem
from web.discussion import services as discussion
from web.discussion.models import ThreadKind
from web.drafts.notes import save_note
from web.drafts.services import save_draft
from web.fleet import orders
from web.fleet import services as fleet
from web.fleet.models import Node, PersonalNode
from web.fleet.personal import invite_personal
from web.fleet.presence import WorkerReport, record_worker
from web.leaderboards.services import set_baseline
from web.notifications.models import Kind, Notification
from web.quizzes.models import Quiz
from web.quizzes.services import answer, write
from web.quotas.services import set_quota
from web.rejudges import rejudging
from web.submissions import services
from web.submissions.models import Submission
from web.tracks.certificates import certificate_token
from web.tracks.models import Entry, Track
from web.tracks.queries import find_path

SECRET = "the-secret-idea-of-the-owner"
ATTACK = "<img src=x onerror=attack()>"
# Without digits that a metric could contain by chance.
HIDDEN = ("prime-case", "79192057", "31337.25")
_CASE = CaseReport(
    "prime-case",
    Group.ODD,
    public=False,
    verdict=Verdict.ACCEPTED,
    sizes={"n": 79192057},
    mismatches=(Mismatch("c", (79192056,), "31337.25", "0.0", 31337.25, 1.0),),
)


@dataclass(frozen=True, slots=True)
class World:
    """`people` are in the order of the matrix. `values` fill addresses.

    `keys` are the values of `pk`, by the prefix of a route's name. `sessions` are the session keys of
    signed-in users.
    """

    people: Mapping[str, User | AnonymousUser]
    values: Mapping[str, object]
    keys: Mapping[str, int]
    sessions: Mapping[str, str]

    def address(self, route: Route) -> str:
        """Return the address of an object in this world. Raises KeyError if the world lacks it."""
        known = [prefix for prefix in self.keys if route.name.startswith(prefix)]
        key = {"pk": self.keys[max(known, key=len)]} if known else {}
        return route.fill({**self.values, **key})


def make_world(*, hostile: bool = False) -> World:
    """Create a world. The owner and a classmate have solved the problem, the learner has not.

    In a `hostile` world, every text from a user attacks the page that shows it.
    """
    text = ATTACK if hostile else ""
    names = ("owner", "classmate", "learner")
    owner, classmate, learner = (User.objects.create_user(name) for name in names)
    workspace = open_workspace(owner, classmate, "vector-add", text)
    problem = _problem(text)
    instructor = User.objects.create_user("instructor", is_instructor=True)
    staff = User.objects.create_superuser("staff")
    _judged(classmate, problem, "// an idea", text)
    submission = _judged(owner, problem, f"// {SECRET}", text)
    revision = save_draft(owner, problem, Language.CUDA, source=f"// {SECRET} {text}", expected=0)
    save_note(owner, problem, text=f"{SECRET} {text}", expected=0)
    thread = discussion.open_thread(owner, problem, title=f"A question {text}", text=f"Why? {text}")
    post = thread.posts.get()
    discussion.flag(classmate, post, reason=f"Rude. {text}")
    asked = discussion.open_thread(
        learner, problem, title=f"A first step? {text}", text=f"How? {text}", kind=ThreadKind.QUESTIONS
    )
    discussion.ask(owner, submission, text=f"Is it {SECRET}? {text}")
    other = Submission.objects.get(user=classmate)
    solution = discussion.show_solution(
        classmate, other, note=f"Four loads. {text}", technique=problem.tags[1][:40]
    )
    Notification.objects.create(
        user=owner, kind=Kind.REPLY, actor=classmate, subject=f"x {text}", topic="x", url="/problems"
    )
    ban = discussion.ban(User.objects.create_user("banned"), staff, reason=f"Rude. {text}")
    quota = set_quota(UserGroup.objects.create(name=f"Class {text}"[:150]), 60, staff)
    chosen = Submission.objects.filter(pk=submission.pk)
    rejudge = rejudging.start(staff, chosen, reason=f"A fix. {text}", chosen={})
    baseline = set_baseline(staff, submission, kind=BaselineKind.REFERENCE, label=f"Plain {text}"[:40])
    _quiz(owner, text)
    node = _node(staff, text)
    invite_personal(owner, f"desk {text}"[:60], "https://court.example.org")
    own_node = PersonalNode.objects.get(owner=owner)
    desk = furnish(workspace, owner, staff, text)
    people = {
        "learner": learner,
        "classmate": classmate,
        "owner": owner,
        "instructor": instructor,
        "staff": staff,
    }
    return World(
        people={"anonymous": AnonymousUser(), **people},
        values={
            "slug": problem.slug,
            "token": _certificate(owner),
            "public_id": submission.public_id,
            "kind": "ptx",
            "language": "cuda",
            "number": revision.revision,
            "attempt": 1,
            "draw": 1,
            "token_id": issue_token(owner, name=f"the owner's {text}"[:60])[0].pk,
            "session_id": 1,
            "username": "owner",
            "task": "index",
            "concept": "elementwise",
            "finding": "race",
            "reading": "vector-add",
            "rest": "nothing",
            "key": "key",
            "uidb36": "1",
            "provider_id": "school",
            "name": "figure.svg",
            "node_name": node.name,
            "uuid": node.gpus.get().uuid,
            **values_of(desk),
        },
        keys={
            "thread": thread.pk,
            "question": asked.pk,
            "solution": solution.pk,
            "notification": Notification.objects.get(user=owner, topic="x").pk,
            "post": post.pk,
            "staff-post": post.pk,
            "staff-ban": ban.pk,
            "staff-quota": quota.pk,
            "staff-rejudge": rejudge.pk,
            "baseline": baseline.pk,
            "mfa": 1,
            "node": node.pk,
            "account-node": own_node.pk,
            "gpu": node.gpus.get().pk,
            **keys_of(desk),
        },
        sessions={name: _sign_in(person) for name, person in people.items()},
    )


def _sign_in(person: User) -> str:
    """The key of a session: one for all requests, since a request changes nothing for the next."""
    client = Client()
    client.force_login(person)
    return client.cookies[settings.SESSION_COOKIE_NAME].value


def _certificate(owner: User) -> str:
    """The token of the owner's certificate for the track, whose only problem the owner has solved."""
    path = find_path(owner, "vector-add")
    assert path
    return certificate_token(owner, path)


def _problem(text: str) -> Problem:
    problem = new_problem(
        "vector-add",
        editorial=f"The trick is simple. {text}",
        hints=[f"Look. {text} [x](javascript:attack())", "Guard it.", "Round up."],
        title=f"Vector addition {text}",
        summary=f"Add. {text}",
        statement=f"Compute. {text} [x](javascript:attack())",
        tags=["elementwise", f"t{text}"],
    )
    track = Track.objects.create(slug="vector-add", title=f"First steps {text}", summary=f"Begin. {text}")
    Entry.objects.create(track=track, problem=problem, position=1)
    return problem


def _quiz(owner: User, text: str) -> Quiz:
    """A quiz with the slug of the problem, and an attempt of the owner."""
    source = f'''
title = "Sums {text}"
summary = "Add. {text}"
difficulty = "easy"
tags = ["elementwise"]
pass_mark = 1
intro = """Compute. {text} [x](javascript:attack())"""

[[variables]]
name = "a"
from = 1
to = 9
step = 1

[[questions]]
kind = "numeric"
text = "What is {{{{ a }}}} + 1? {text}"
answer = "a + 1"
unit = "{text[:19]}u"
explanation = "It is {{{{ answer }}}}. {text}"

[[questions.mistakes]]
answer = "a"
explanation = "Add 1. {text}"

[[questions]]
kind = "choice"
text = "Which? {text}"
options = ["This {text}", "That"]
right = 0
explanation = "This. {text}"
'''
    quiz = write(check_quiz("vector-add", source), from_files=True)
    answer(owner, quiz, draw=1, version=quiz.version, answers=["12345", "0"])
    return quiz


def _node(staff: User, text: str) -> Node:
    """A drained node with a worker and a GPU that staff hold."""
    node = fleet.record_inventory("node-1", {"driver": f"580 {text}"}, [fake_gpu(0, model=f"H200 {text}")])
    report = WorkerReport(
        node="node-1",
        name="node-1:1",
        instance="1",
        queues=("cpu",),
        concurrency=2,
        version="0",
        message=text,
    )
    record_worker(report)
    orders.drain(staff, node, reason=f"A new fan. {text}")
    orders.hold(staff, node.gpus.get(), reason=f"It hums. {text}")
    return node


def _judged(person: User, problem: Problem, source: str, text: str) -> Submission:
    submission = services.submit(
        person, problem, language=Language.CUDA, source=f"{source} {text}", mode=Mode.SUBMIT
    )
    report = Report(
        Verdict.ACCEPTED,
        text,
        cases=(replace(_CASE, message=text),),
        log=text,
        output=text,
        listings={"ptx": f"ret; // {text}"},
        environment={"gpu": "NVIDIA H200", "problem_version": problem.version},
        score=Score(100.0, 99.0, 101.0),
        replay=Replay("sample", text.encode()),
        profile=Profile(missing=text),
        profile_report=text.encode(),
    )
    services.record(services.claim("w"), report)
    return submission
