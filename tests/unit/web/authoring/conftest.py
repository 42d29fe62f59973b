"""Users who write a problem, and their workspace with a valid package."""

from pathlib import Path

import pytest

from problems.contents import read_folder
from problems.loader import problems_root
from tests.conftest import PASSWORD
from web.accounts.models import User
from web.authoring.models import Membership, Role, Workspace
from web.authoring.services import workspaces


@pytest.fixture(scope="session")
def vector_add() -> dict[str, bytes]:
    """The files of a problem that ships with Warpcourt."""
    files = read_folder(Path(problems_root(), "vector-add")).files
    return {path: content for path, content in files.items() if not path.startswith("starter/")}


@pytest.fixture
def instructor(db: None) -> User:
    return User.objects.create_user("instructor", password=PASSWORD, is_instructor=True)


@pytest.fixture
def workspace(instructor: User, vector_add: dict[str, bytes]) -> Workspace:
    return workspaces.create(instructor, "my-sum", vector_add)


@pytest.fixture
def member(workspace: Workspace):
    """Create a member of the workspace with a role, named like the role."""

    def join(role: Role) -> User:
        person = User.objects.create_user(role.value, password=PASSWORD)
        Membership.objects.create(workspace=workspace, user=person, role=role)
        return person

    return join
