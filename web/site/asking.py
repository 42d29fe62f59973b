"""The page that asks whether to do what can't be undone, or what others see at once."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


@dataclass(frozen=True, slots=True)
class Question:
    """A question, with the effect of a yes. `place` names the page at `back`, where a no leads.

    `action` is the text of the button, which sends a POST to the same address with the fields `sent`.
    """

    text: str
    effect: str
    action: str
    place: str
    back: str
    sent: Mapping[str, object] = field(default_factory=dict)
    dangerous: bool = True


def ask(request: HttpRequest, question: Question) -> HttpResponse:
    """Return the page that asks `question`."""
    return render(request, "web/confirm.html", {"question": question})
