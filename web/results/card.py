"""A submission as a small picture to embed elsewhere: an SVG without external resources."""

from django.utils.html import format_html
from django.utils.safestring import SafeString

from web.site.figures import interval, microseconds
from web.site.verdicts import badge_of
from web.submissions.models import Submission
from web.submissions.queries import score_of, verdict_of
from web.templatetags.warpcourt import language

_TITLE_CHARACTERS = 34
_GPU_CHARACTERS = 28
_TONES = {
    "good": "#5fd08e",
    "bad": "#ff8f86",
    "limit": "#f5ad74",
    "syntax": "#cfa8ff",
    "live": "#f2bc45",
}
_OWN_NODE = "run on the author's own node"
_GREY = "#a9afbb"
# Colours are attributes instead of styles, because the policy of the site allows no styles inside. The card
# is always dark, because it cannot know the background of the page.
_CARD = """\
<svg xmlns="http://www.w3.org/2000/svg" width="440" height="132" viewBox="0 0 440 132" role="img" \
aria-labelledby="title" font-family="system-ui, -apple-system, 'Segoe UI', sans-serif">\
<title id="title">{name}</title>\
<rect width="440" height="132" rx="10" fill="#171a21"/>\
<rect x="14" y="20" width="4" height="92" rx="2" fill="{tone}"/>\
<text x="32" y="36" font-size="18" font-weight="600" fill="#eceef2">{title}</text>\
<text x="32" y="64" font-size="15" font-weight="600" fill="{tone}">{word}</text>\
<text x="416" y="64" font-size="20" font-weight="600" fill="#eceef2" text-anchor="end">{score}</text>\
<text x="416" y="84" font-size="12" fill="#a9afbb" text-anchor="end">{interval}</text>\
<text x="32" y="110" font-size="13" fill="#a9afbb">{made}</text>\
<text x="416" y="110" font-size="13" font-weight="600" fill="#f2bc45" text-anchor="end">Warpcourt</text>\
</svg>
"""


def card(submission: Submission) -> SafeString:
    """Return the card: problem, verdict, language, and for a ranked score the time and the GPU.

    The verdict of a personal node may be forged, so the card names the source of the verdict.
    """
    badge = badge_of(verdict_of(submission))
    score = score_of(submission)
    gpu = submission.report.gpu_model if score else ""
    title = _cut(submission.problem.title, _TITLE_CHARACTERS)
    node = _OWN_NODE if submission.personal_node else ""
    parts = (language(submission.language), _cut(gpu, _GPU_CHARACTERS), node)
    made = " \N{MIDDLE DOT} ".join(filter(None, parts))
    time = microseconds(score.median_us) if score else ""
    return format_html(
        _CARD,
        name=", ".join(filter(None, (submission.problem.title, badge.word, time, made))),
        tone=_TONES.get(badge.tone, _GREY),
        title=title,
        word=badge.word,
        score=time,
        interval=f"95 %: {interval(score)}" if score else "",
        made=made,
    )


def _cut(text: str, characters: int) -> str:
    return text if len(text) <= characters else f"{text[: characters - 1]}\N{HORIZONTAL ELLIPSIS}"
