"""Further fixtures for tests of the site: a fleet, solved problems, an instructor."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone

from judge.report import Report
from problems.vocabulary import Verdict
from sandbox.gpu.fake_nvml import fake_gpu
from web.accounts.models import User
from web.catalog.models import Problem
from web.fleet import services
from web.fleet.models import Node
from web.submissions import services as submissions
from web.submissions.models import Submission
from web.tracks.models import Entry, Track


@pytest.fixture
def live_gpus(db: None) -> Callable[..., Node]:
    """Creates a live node with a GPU of each model: `live_gpus("NVIDIA H200")`."""

    def record(*models: str, name: str = "node-1") -> Node:
        gpus = [fake_gpu(number, model=model) for number, model in enumerate(models)]
        return services.record_inventory(name, {}, gpus)

    return record


@pytest.fixture
def contest(problem: Problem) -> Track:
    """A running contest with the problem."""
    now, hour = timezone.now(), timedelta(hours=1)
    track = Track.objects.create(
        slug="finals", title="Finals", contest_starts=now - hour, contest_ends=now + hour
    )
    Entry.objects.create(track=track, problem=problem, position=1)
    return track


@pytest.fixture
def solved(handed_in: Callable[..., Submission]) -> Callable[..., None]:
    """Lets users solve the problem: `solved(owner, teammate)`."""

    def solve(*people: User) -> None:
        for person in people:
            handed_in(person)
            submissions.record(submissions.claim("w"), Report(Verdict.ACCEPTED))

    return solve


@pytest.fixture
def instructor(teammate: User) -> User:
    """The teammate, as an instructor."""
    teammate.is_instructor = True
    teammate.save()
    return teammate
