"""Permissions on workspaces, as predicates of `rules`.

Pages, the API and templates use the same names: `user.has_perm(rights.EDIT, workspace)`, and in templates `{%
load rules %}{% has_perm "authoring.edit" user workspace as may_edit %}`. The files contain hidden cases,
seeds, references and solutions, so users who may not view a workspace must learn nothing about them. The role
of instructor alone gives no access to the workspaces of others. Staff run the site and may do everything.
"""

from collections.abc import Callable
from typing import Any, Final

from rules.permissions import add_perm
from rules.predicates import Predicate

from web.accounts.models import User
from web.authoring.models import Role, Workspace, WorkspaceState
from web.authoring.queries import role_of

CREATE: Final = "authoring.create"
VIEW: Final = "authoring.view"
COMMENT: Final = "authoring.comment"
PROVE: Final = "authoring.prove"
EDIT: Final = "authoring.edit"
PUBLISH: Final = "authoring.publish"
WITHDRAW: Final = "authoring.withdraw"
SHARE: Final = "authoring.share"
_ORDER = (Role.VIEWER, Role.REVIEWER, Role.EDITOR, Role.OWNER)


def _at_least(role: Role) -> Any:
    allowed = frozenset(_ORDER[_ORDER.index(role) :])

    def holds(user: User, workspace: Workspace | None) -> bool:
        return workspace is not None and role_of(user, workspace) in allowed

    return _predicate(holds, f"at_least_{role.value}")


def is_instructor(user: User) -> bool:
    """Return whether staff allow the user to write problems."""
    return bool(user.is_authenticated and user.is_instructor)


def is_staff(user: User) -> bool:
    """Return whether the user is staff."""
    return bool(user.is_authenticated and user.is_staff)


def is_open(_user: User, workspace: Workspace | None) -> bool:
    """Return whether the workspace is not archived."""
    return workspace is not None and workspace.state != WorkspaceState.ARCHIVED


def _predicate(holds: Callable[..., bool], name: str = "") -> Any:
    return Predicate(holds, name=name or holds.__name__)


_STAFF, _INSTRUCTOR, _OPEN = _predicate(is_staff), _predicate(is_instructor), _predicate(is_open)
_PREDICATES = {
    CREATE: _INSTRUCTOR | _STAFF,
    VIEW: _at_least(Role.VIEWER) | _STAFF,
    COMMENT: _at_least(Role.REVIEWER) | _STAFF,
    PROVE: (_at_least(Role.REVIEWER) | _STAFF) & _OPEN,
    EDIT: (_at_least(Role.EDITOR) | _STAFF) & _OPEN,
    PUBLISH: ((_at_least(Role.OWNER) & _INSTRUCTOR) | _STAFF) & _OPEN,
    WITHDRAW: _at_least(Role.OWNER) | _STAFF,
    SHARE: _at_least(Role.OWNER) | _STAFF,
}


def register() -> None:
    """Register the predicate of every permission. The app calls it once at startup."""
    for name, predicate in _PREDICATES.items():
        add_perm(name, predicate)  # type: ignore[no-untyped-call]  # rules has no types
