"""Writes to discussions: by users (`writing`) and by staff (`moderating`)."""

from web.discussion.services.moderating import ban, dismiss, hide, lift_ban, restore
from web.discussion.services.writing import (
    Banned,
    FlaggedAlready,
    PostGone,
    PostRefused,
    TooMany,
    delete,
    edit,
    flag,
    open_thread,
    reply,
)

__all__ = [
    "Banned",
    "FlaggedAlready",
    "PostGone",
    "PostRefused",
    "TooMany",
    "ban",
    "delete",
    "dismiss",
    "edit",
    "flag",
    "hide",
    "lift_ban",
    "open_thread",
    "reply",
    "restore",
]
