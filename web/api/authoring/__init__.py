"""Problems that are being written: what their pages can do, for programs.

Everything here takes a token of the scope `author`, or a session. A workspace exists for its members and for
staff alone; to all others every address below it answers 404. A member who may look and not do what is asked
for gets 403. What a write must name is the `revision` that it was made from: where somebody else wrote the
same file since, the answer is 409 and `fields` names the files.
"""

from ninja import Router

from web.api.auth import AUTHOR
from web.api.authoring import (
    archives,
    comments,
    files,
    history,
    members,
    rejudges,
    runs,
    sets,
    versions,
    workspaces,
)

router = Router(auth=AUTHOR, tags=["author"])
for part in (workspaces, archives, files, history, comments, members, runs, versions, rejudges, sets):
    router.add_router("", part.router)
