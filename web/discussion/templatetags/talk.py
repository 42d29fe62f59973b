"""Template tags with which pages of other apps show private questions and the gallery."""

from dataclasses import dataclass
from typing import Any

from django import template

from web.discussion import gallery, inquiries
from web.discussion.models import Inquiry
from web.site.paging import count_in_words
from web.submissions.models import Submission

register = template.Library()


@dataclass(frozen=True, slots=True)
class SubmissionTalk:
    """The private question about a submission, and whether the submission is in the gallery, for its page."""

    inquiry: Inquiry | None
    may_ask: bool
    may_share: bool
    in_gallery: bool


@register.simple_tag(takes_context=True)
def talk_about(context: dict[str, Any], submission: Submission) -> SubmissionTalk:
    """Return the parts of the page of `submission` that depend on its user."""
    user = context["user"]
    may_ask = inquiries.may_ask(user, submission)
    reads = may_ask or inquiries.may_teach(user)
    shares = gallery.may_share(user, submission)
    entry = gallery.solution_of(submission) if shares else None
    return SubmissionTalk(
        inquiry=inquiries.inquiry_of(submission) if reads else None,
        may_ask=may_ask,
        may_share=shares,
        in_gallery=entry is not None and entry.thread.shown and submission.shared,
    )


@register.simple_tag(takes_context=True)
def open_inquiries(context: dict[str, Any]) -> str:
    """Return the number of private questions without an answer, such as `3`; empty if there is none."""
    user = context.get("user")
    return count_in_words(inquiries.count_open(user) if user is not None else 0)
