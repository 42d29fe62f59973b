"""Problems that are being written. Programs can do here what authors do on the pages.

All operations need a token with the scope `author`, or a session. Only members of a workspace and staff can
see it; for all other users every address below it answers 404. A member without the right for an operation
gets 403. A write names the `revision` that it was made from. If another user has written the same file since,
the answer is 409 and `fields` names the files.
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
