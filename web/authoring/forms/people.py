"""The form for adding a member to a problem."""

from django import forms

from web.accounts.models import User
from web.accounts.names import MAX_CHARACTERS
from web.authoring.models import Role

ROLE_WORDS = {
    Role.OWNER: "can do everything, including publishing and managing members",
    Role.EDITOR: "can edit, run solutions, prove and comment",
    Role.REVIEWER: "can read, run solutions, prove and comment",
    Role.VIEWER: "can read",
}


class MemberForm(forms.Form):
    """Asks for a username and a role."""

    person = forms.CharField(
        max_length=MAX_CHARACTERS,
        label="User",
        help_text="Username on this site.",
        widget=forms.TextInput(attrs={"class": "input", "autocomplete": "off", "spellcheck": "false"}),
    )
    role = forms.ChoiceField(choices=[(role.value, role.label) for role in Role], label="Role")

    def clean_person(self) -> User:
        """Return the user with that name."""
        name = self.cleaned_data["person"].strip()
        found = User.objects.filter(username__iexact=name, is_active=True).first()
        if found is None:
            raise forms.ValidationError("User not found.")
        return found
