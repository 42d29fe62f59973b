"""Who may do what with a workspace, as predicates of `rules`.

Pages, the API and templates ask by the same names: `user.has_perm(rights.EDIT, workspace)`, and in templates
`{% load rules %}{% has_perm "authoring.edit" user workspace as may_edit %}`. Hidden cases, seeds, references
and solutions are in the files, so whoever may not view a workspace learns nothing of them; being an
instructor alone opens nobody else's. Staff run the site and may do everything.
"""

from typing import Any, Final

import rules

from web.accounts.models import User
from web.authoring.models import Role, State, Workspace
from web.authoring.queries import role_of

CREATE: Final = "authoring.create"
VIEW: Final = "authoring.view"
COMMENT: Final = "authoring.comment"
PROVE: Final = "authoring.prove"
EDIT: Final = "authoring.edit"
PUBLISH: Final = "authoring.publish"
SHARE: Final = "authoring.share"
_ORDER = (Role.VIEWER, Role.REVIEWER, Role.EDITOR, Role.OWNER)


def _at_least(role: Role) -> Any:
    allowed = frozenset(_ORDER[_ORDER.index(role) :])

    @rules.predicate(f"is_{role.value}")
    def holds(user: User, workspace: Workspace | None) -> bool:
        return workspace is not None and role_of(user, workspace) in allowed

    return holds


@rules.predicate
def is_instructor(user: User) -> bool:
    """Whether staff let them write problems."""
    return bool(user.is_authenticated and user.is_instructor)


@rules.predicate
def is_staff(user: User) -> bool:
    """Whether they run the site."""
    return bool(user.is_authenticated and user.is_staff)


@rules.predicate
def is_open(_user: User, workspace: Workspace | None) -> bool:
    """Whether it is not archived."""
    return workspace is not None and workspace.state != State.ARCHIVED


_PREDICATES = {
    CREATE: is_instructor | is_staff,
    VIEW: _at_least(Role.VIEWER) | is_staff,
    COMMENT: _at_least(Role.REVIEWER) | is_staff,
    PROVE: (_at_least(Role.REVIEWER) | is_staff) & is_open,
    EDIT: (_at_least(Role.EDITOR) | is_staff) & is_open,
    PUBLISH: (_at_least(Role.OWNER) & is_instructor) | is_staff,
    SHARE: _at_least(Role.OWNER) | is_staff,
}


def register() -> None:
    """Give every permission its predicate. Called once, when the app is ready."""
    for name, predicate in _PREDICATES.items():
        rules.add_perm(name, predicate)
