"""A problem that allows personal nodes, a node, and runs on it."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from problems.loader import problems_root
from problems.vocabulary import Language, Mode
from tests.unit.web.personal_nodes.nodes import ANode
from web.accounts.models import User
from web.catalog.models import Problem
from web.packages import services as packages
from web.submissions import services
from web.submissions.models import Submission


@pytest.fixture
def open_problem(problem: Problem, tmp_path: Path) -> Problem:
    """The shipped problem, whose reference is open."""
    shutil.copytree(problems_root() / "vector-add", tmp_path / "vector-add")
    packages.load_site(tmp_path)
    Problem.objects.update(on_personal_nodes=True)
    problem.refresh_from_db()
    return problem


@pytest.fixture
def desk(owner: User) -> ANode:
    """The owner's node, which runs."""
    node = ANode(owner)
    node.claim()
    return node


@pytest.fixture
def run_of(open_problem: Problem) -> Callable[..., Submission]:
    """Runs a program of a user on the user's own node."""

    def submit(user: User, **more: Any) -> Submission:
        asked: dict[str, Any] = {"mode": Mode.RUN, "personal_node": True, **more}
        open_problem.refresh_from_db()
        return services.submit(user, open_problem, language=Language.CUDA, source="int x;", **asked)

    return submit
