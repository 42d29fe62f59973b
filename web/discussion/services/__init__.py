"""Writes to discussions, private questions (`asking`) and the gallery; `moderating` is for staff."""

from web.discussion.services.asking import answer, ask, close
from web.discussion.services.gallery import show_solution, vote, withdraw_solution
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
    "answer",
    "ask",
    "ban",
    "close",
    "delete",
    "dismiss",
    "edit",
    "flag",
    "hide",
    "lift_ban",
    "open_thread",
    "reply",
    "restore",
    "show_solution",
    "vote",
    "withdraw_solution",
]
