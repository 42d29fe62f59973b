"""`manage.py changepassword [NAME]` sets a user's password and revokes the user's API tokens."""

import getpass
from typing import Any

from django.contrib.auth.management.commands import changepassword

from web.accounts.models import User
from web.accounts.services import revoke_tokens


class Command(changepassword.Command):
    """Django's command, which also revokes tokens, like a password that staff set in the admin."""

    help = "Set a user's password, end the user's sessions and revoke the user's API tokens."

    def handle(self, *args: Any, **options: Any) -> str | None:
        """Ask for the password, set it, and revoke the tokens."""
        options["username"] = options["username"] or getpass.getuser()  # Django's default
        said = super().handle(*args, **options)
        user = User.objects.using(options["database"]).get(username=options["username"])
        revoked = revoke_tokens(user)
        return "\n".join(filter(None, [said, f"API tokens revoked: {revoked}"]))
