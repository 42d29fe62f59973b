"""Fixtures for all kinds of tests: users with roles, a problem, and submissions.

Access tests read as prose: the owner made the submission, the teammate is another user, the stranger
is not signed in, and staff may see everything.
"""

import asyncio
import gc
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser, Permission
from django.contrib.contenttypes.models import ContentType
from django.core.cache import cache
from django.core.management.commands import flush
from django.db import connection
from django.test import Client
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis
from pytest_django import DjangoDbBlocker

from problems.vocabulary import Language, Mode
from tests.migrated import put_migrated_database
from web.accounts.models import User
from web.catalog.models import Problem
from web.jobs import wakeup
from web.packages.catalogue import tag
from web.submissions import services
from web.submissions.models import Submission

pytest_plugins = (
    "tests.sorted_arguments",
    "tests.receipts",
    "tests.file_receipts",
    "tests.unmeasured",
    "tests.one_database",
)
PASSWORD = "correct horse battery"
# Groups of tests that take minutes in a single process.
LONGEST = ("postgresql", "python-3.12", "python-3.13", "images", "cluster", "installation")

COLLECT_AFTER = 20_000  # number of live new objects that starts a collection

# A busy machine must not make a test fail.
hypothesis.register_profile(
    "unhurried", parent=hypothesis.default, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
hypothesis.load_profile("unhurried")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the longest tests first, so that no process idles while another works for minutes."""

    def turn(item: pytest.Item) -> int:
        groups = {str(mark.args[0]) for mark in item.iter_markers("xdist_group")}
        return min((LONGEST.index(group) for group in groups & {*LONGEST}), default=len(LONGEST))

    items.sort(key=turn)
    _refuse_browsers_outside_e2e(items)


def _refuse_browsers_outside_e2e(items: list[pytest.Item]) -> None:
    """Refuse tests outside e2e whose fixtures have names of Playwright's fixtures.

    Playwright would give such a test a browser parameter. Then pytest would run all browser tests next to it,
    between the tests with a database.
    """
    for item in items:
        outside = Path(__file__).parent / "e2e" not in item.path.parents
        parameters = getattr(item, "callspec", None)
        if outside and parameters and "browser_name" in parameters.params:
            raise pytest.UsageError(f"{item.nodeid}: rename the fixture `page` or `browser`")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Disable garbage collection during test collection, because nearly all new objects live to the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    """Exclude imported objects from garbage collection, which would need a tenth of the time for them."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(COLLECT_AFTER, 20, 20)


@pytest.fixture(scope="session")
def django_db_keepdb() -> bool:
    """Return whether to keep an existing database. True if it is a copy of a migrated one."""
    return connection.vendor == "sqlite"


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None, django_db_keepdb: bool
) -> None:
    """Create the database at the path of this process."""
    if django_db_keepdb:
        put_migrated_database(Path(connection.settings_dict["TEST"]["NAME"]))


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """Write content types and permissions back after a transactional test, whose end deletes all rows.

    Django would let every app create them again, which takes longer than most of these tests.
    """
    models = (ContentType, Permission)  # in the order of their keys
    with django_db_blocker.unblock():
        kept = [list(model._default_manager.order_by("pk")) for model in models]

    def put_back(_verbosity: int, _interactive: bool, database: str) -> None:
        for model, rows in zip(models, kept, strict=True):
            model._default_manager.using(database).bulk_create(rows)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(flush, "emit_post_migrate_signal", put_back)
        yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Hide Playwright's event loop from tests without a browser, because Django refuses to run next to it.

    Playwright's loop stays in the thread until the session ends, even when other tests follow. This is a
    hook, because it surrounds all fixtures of a test. A fixture would be torn down before some others.
    """
    if "playwright" in getattr(item, "fixturenames", ()):
        return (yield)
    loop = asyncio._get_running_loop()
    asyncio._set_running_loop(None)
    try:
        return (yield)
    finally:
        asyncio._set_running_loop(loop)


@pytest.fixture(autouse=True)
def _empty_cache() -> None:
    cache.clear()


@pytest.fixture(autouse=True)
def wakeups(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The queue of every wake-up message. None is sent, and the broker holds none."""
    sent: list[str] = []

    def wake(queue: str = "cpu") -> bool:
        sent.append(queue)
        return True

    monkeypatch.setattr(wakeup, "wake", wake)
    monkeypatch.setattr(wakeup, "undelivered", lambda _queue: 0)
    return sent


@pytest.fixture
def owner(db: None) -> User:
    return User.objects.create_user("owner", password=PASSWORD)


@pytest.fixture
def teammate(db: None) -> User:
    return User.objects.create_user("teammate", password=PASSWORD)


@pytest.fixture
def staff(db: None) -> User:
    return User.objects.create_superuser("staff", password=PASSWORD)


@pytest.fixture
def stranger() -> AnonymousUser:
    return AnonymousUser()


@pytest.fixture
def problem(db: None) -> Problem:
    return new_problem("vector-add")


def new_problem(slug: str, **columns: object) -> Problem:
    """Return a problem with one size `n`, as `loadproblems` would store it."""
    made = Problem.objects.create(
        slug=slug,
        **{
            "title": slug.replace("-", " ").capitalize(),
            "summary": "Add two vectors.",
            "difficulty": "easy",
            "tags": ["elementwise"],
            "track_day": 1,
            "version": "1",
            "statement": "Compute $c_i = a_i + b_i$.",
            "starters": {"cuda": "// begin here\n", "triton": "# begin here\n"},
            "signature": [{"name": "a", "role": "in", "dtype": "float32", "shape": ["n"]}],
            "samples": [{"name": "sample", "sizes": {"n": 4}}],
            "limits": {"compile_s": 30.0, "case_s": 10.0, "memory_mib": 2048, "source_kib": 64},
            **columns,
        },
    )
    tag(made)
    return made


@pytest.fixture
def handed_in(problem: Problem) -> Callable[..., Submission]:
    """Makes submissions: `handed_in(owner)`."""

    def submit(user: User, source: str = "void solve() {}", **more: Any) -> Submission:
        program: dict[str, Any] = {"language": Language.CUDA, "source": source, "mode": Mode.SUBMIT, **more}
        return services.submit(user, problem, **program)

    return submit


@pytest.fixture
def browser_of() -> Callable[[User | AnonymousUser], Client]:
    """Makes signed-in clients that enforce CSRF like real ones."""

    def sign_in(user: User | AnonymousUser) -> Client:
        client = Client(enforce_csrf_checks=True)
        if user.is_authenticated:
            client.force_login(user)
        return client

    return sign_in
