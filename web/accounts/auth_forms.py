"""Forms of allauth with our hints. A label needs no placeholder."""

from typing import Any

from allauth.account import forms as account
from allauth.mfa.base import forms as mfa
from allauth.mfa.totp import forms as totp
from allauth.socialaccount import forms as social
from django import forms

_HINT = "At least 10 characters. Not similar to your username, and not a common password."


class _Plain(forms.Form):
    """Removes the placeholders of allauth's forms and adds our password hint."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        for field in self.fields.values():
            field.widget.attrs.pop("placeholder", None)
        if "password1" in self.fields:
            self.fields["password1"].help_text = _HINT


class LoginForm(_Plain, account.LoginForm):  # type: ignore[misc]  # allauth is untyped
    """Name and password."""


class SignupForm(_Plain, account.SignupForm):  # type: ignore[misc]  # as above
    """Name, address and password."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.fields[
            "username"
        ].help_text = "Visible to others. Use letters a to z and digits, separated by . _ or -."
        if "email" in self.fields:
            self.fields["email"].help_text = "Used to reset a forgotten password."


class AddEmailForm(_Plain, account.AddEmailForm):  # type: ignore[misc]  # as above
    """A further address."""


class ChangePasswordForm(_Plain, account.ChangePasswordForm):  # type: ignore[misc]  # as above
    """The present password, and the new one twice."""


class SetPasswordForm(_Plain, account.SetPasswordForm):  # type: ignore[misc]  # as above
    """A first password, twice."""


class ResetPasswordForm(_Plain, account.ResetPasswordForm):  # type: ignore[misc]  # as above
    """The address of an account."""


class ResetPasswordKeyForm(_Plain, account.ResetPasswordKeyForm):  # type: ignore[misc]  # as above
    """A new password, twice."""


class ReauthenticateForm(_Plain, account.ReauthenticateForm):  # type: ignore[misc]  # as above
    """The password again."""


class SocialSignupForm(_Plain, social.SignupForm):  # type: ignore[misc]  # as above
    """The name and the address of somebody whom a provider vouches for."""


class AuthenticateForm(_Plain, mfa.AuthenticateForm):  # type: ignore[misc]  # as above
    """A code of the app, or a recovery code."""


class ReauthenticateByCodeForm(_Plain, mfa.ReauthenticateForm):  # type: ignore[misc]  # as above
    """The same again."""


class ActivateTOTPForm(_Plain, totp.ActivateTOTPForm):  # type: ignore[misc]  # as above
    """The first code of a new app."""
