"""The forms of allauth with our hints. Their fields have labels instead of placeholders."""

from typing import Any

from allauth.account import forms as account
from allauth.mfa.base import forms as mfa
from allauth.mfa.totp import forms as totp
from allauth.mfa.webauthn import forms as webauthn
from allauth.socialaccount import forms as social
from django import forms

from web.accounts import queries, services

# In the case of our other labels.
_LABELS = {
    "Current Password": "Current password",
    "New Password": "New password",
    "New Password (again)": "New password (again)",
}
MAX_KEYS = 100
_HINT = "At least 10 characters. Not similar to your username, and not a common password."


class _Plain(forms.Form):
    """Removes the placeholders of allauth's forms, and adds our labels and our password hint."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        for field in self.fields.values():
            field.widget.attrs.pop("placeholder", None)
            field.label = _LABELS.get(str(field.label), field.label)
        if "password1" in self.fields:
            self.fields["password1"].help_text = _HINT


class LoginForm(_Plain, account.LoginForm):  # type: ignore[misc]  # allauth is untyped
    """Asks for a name and a password."""


class SignupForm(_Plain, account.SignupForm):  # type: ignore[misc]  # as above
    """Asks for a name, an email address and a password."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.fields[
            "username"
        ].help_text = "Visible to others. Use letters a to z and digits, separated by . _ or -."
        if "email" in self.fields:
            self.fields["email"].help_text = "Used to reset a forgotten password."


class AddEmailForm(_Plain, account.AddEmailForm):  # type: ignore[misc]  # as above
    """Asks for an additional email address."""


class ChangePasswordForm(_Plain, account.ChangePasswordForm):  # type: ignore[misc]  # as above
    """Asks for the current password, and twice for the new one. Offers to revoke the API tokens, if any."""

    revoke_tokens = forms.BooleanField(
        label="Revoke all my API tokens",
        help_text="Choose this if another person may know your old password.",
        required=False,
    )

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        if not queries.list_tokens(self.user).exists():
            del self.fields["revoke_tokens"]

    def save(self) -> None:
        """Change the password, and revoke the tokens if the user chose so."""
        super().save()
        if self.cleaned_data.get("revoke_tokens"):
            services.revoke_tokens(self.user)


class SetPasswordForm(_Plain, account.SetPasswordForm):  # type: ignore[misc]  # as above
    """Asks twice for a first password."""


class ResetPasswordForm(_Plain, account.ResetPasswordForm):  # type: ignore[misc]  # as above
    """Asks for the email address of an account."""


class ResetPasswordKeyForm(_Plain, account.ResetPasswordKeyForm):  # type: ignore[misc]  # as above
    """Asks twice for a new password. Users also reset it after another person learned it."""

    def save(self) -> None:
        """Set the password and revoke all API tokens."""
        super().save()
        services.revoke_tokens(self.user)


class ReauthenticateForm(_Plain, account.ReauthenticateForm):  # type: ignore[misc]  # as above
    """Asks for the password again."""


class SocialSignupForm(_Plain, social.SignupForm):  # type: ignore[misc]  # as above
    """Asks a user who signs in through a provider for a name and an email address."""


class AuthenticateForm(_Plain, mfa.AuthenticateForm):  # type: ignore[misc]  # as above
    """Asks for a code of the app, or for a recovery code."""


class ReauthenticateByCodeForm(_Plain, mfa.ReauthenticateForm):  # type: ignore[misc]  # as above
    """Asks for a code of the app again."""


class ActivateTOTPForm(_Plain, totp.ActivateTOTPForm):  # type: ignore[misc]  # as above
    """Asks for the first code of a new app."""


class AddWebAuthnForm(webauthn.AddWebAuthnForm):  # type: ignore[misc]  # as above
    """Asks for the name of a security key, and for the key."""

    def clean(self) -> dict[str, Any]:
        """Refuse the key if the user has the maximum number of keys."""
        if queries.list_keys(self.user).count() >= MAX_KEYS:
            raise forms.ValidationError(f"You have {MAX_KEYS} security keys, the maximum. Remove one first.")
        cleaned: dict[str, Any] = super().clean()
        return cleaned
