"""Icons, verdicts, times: the small parts of every page."""

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from django import template
from django.http import HttpRequest
from django.templatetags.static import static
from django.urls import reverse
from django.utils import dateformat
from django.utils.html import format_html, format_html_join
from django.utils.http import urlencode
from django.utils.safestring import SafeString, mark_safe

from judge.counters import counter_name
from judge.report import KernelResources
from judge.requirements import bound_text, figure_text
from problems.translations import direction_of
from problems.vocabulary import Counter, Language
from web.site import assets, concepts, figures, sentences
from web.site.findings import Finding, page_of_finding
from web.site.readings import Reading, reading_of
from web.site.verdicts import badge_of

register = template.Library()
THEMES = ("light", "dark")
_FULL_PERCENT = 100
CURRENT = mark_safe('aria-current="page"')


@register.filter
def reading(slug: str) -> Reading | None:
    """Return the reading for the problem or quiz `slug`, None if there is none."""
    return reading_of(slug)


@register.simple_tag
def preload_fonts(*, workbench: bool = False) -> SafeString:
    """Return tags that preload fonts together with the styles, so that text rarely moves later."""
    wanted = assets.WORKBENCH_FONTS if workbench else assets.FONTS
    links = [(static(f"dist/{name}"),) for name in assets.find_assets(*wanted)]
    return format_html_join(
        "\n    ", '<link rel="preload" href="{}" as="font" type="font/woff2" crossorigin>', links
    )


@register.simple_tag
@lru_cache(maxsize=256)  # a page shows about a dozen
def icon(name: str) -> SafeString:
    """Return a symbol of icons.svg. It is hidden from screen readers, because a word is always next to it."""
    return format_html(
        '<svg class="icon" aria-hidden="true"><use href="{}#{}"/></svg>', static("dist/icons.svg"), name
    )


@register.simple_tag
def verdict(value: str | None) -> SafeString:
    """Return a verdict as icon, word and tone."""
    badge = badge_of(value)
    return format_html('<span class="verdict tone-{}">{}{}</span>', badge.tone, icon(badge.icon), badge.word)


@register.filter
def sentence(text: object) -> str:
    """Return the text with a capital letter, unless it begins with a name like `problem.toml` or `solve`."""
    return sentences.sentence(str(text))


@register.filter
def code_spans(text: str) -> SafeString:
    """Return `text` as HTML, with what is between backticks as code. A single backtick stays as it is."""
    parts = text.split("`")
    spans = enumerate(parts) if len(parts) % 2 else [(0, text)]
    return format_html_join(
        "", "{}", ((format_html("<code>{}</code>", s) if at % 2 else s,) for at, s in spans)
    )


@register.filter
def tone(value: str | None) -> str:
    """Return the CSS class for the tone of a verdict."""
    return f"tone-{badge_of(value).tone}"


@register.filter
def word(value: str | None) -> str:
    """Return the word for a verdict."""
    return badge_of(value).word


@register.filter
def counter(value: str) -> str:
    """Return the name of the counter that a requirement bounds."""
    return counter_name(value)


@register.filter
def bounded(relation: str, bound: float) -> str:
    """Return the bound of a requirement: `at most 4.2`."""
    return bound_text(relation, bound)


@register.filter
def checker_score(value: float, rule: Mapping[str, str] | None) -> str:
    """Return the score that a checker gave, with its unit: `1.25 %`."""
    return f"{value:.6g} {(rule or {}).get('unit', '')}".rstrip()


@register.filter
def counted_in(counter: str) -> str:
    """Return the language for which a counter of requirements exists: `cuda`."""
    return Counter(counter).language.value


@register.filter
def measured(value: float) -> str:
    """Return a counted figure as text: `4.25`."""
    return figure_text(value)


@register.filter
def language(value: str) -> str:
    """Return the name of a language."""
    return Language(value).label


@register.filter
def direction(locale: str) -> str:
    """Return the writing direction of a locale."""
    return direction_of(locale)


@register.filter
def duration(ms: float | None) -> str:
    """Return milliseconds in a suitable unit: `0.42 ms`, `38 ms`, `1.7 s`."""
    if ms is None:
        return "\N{EN DASH}"
    if ms < 10:
        return f"{ms:.2f} ms"
    return f"{ms:.0f} ms" if ms < 1000 else f"{ms / 1000:.2f} s"


@register.filter
def triple(value: tuple[int, int, int]) -> str:
    """Return a block or thread index as text: `(1, 0, 0)`."""
    return f"({', '.join(str(part) for part in value)})"


@register.simple_tag
def moment(value: datetime | None, classes: str = "") -> SafeString | str:
    """Return a date with its time in UTC, which a script replaces by local time; nothing for None."""
    if value is None:
        return ""
    text = dateformat.format(value.astimezone(UTC), "j M Y, H:i") + " UTC"
    return format_html(
        '<time{} datetime="{}" title="{}" data-local>{}</time>',
        format_html(' class="{}"', classes) if classes else "",
        value.isoformat(timespec="seconds"),
        text,
        text,
    )


@register.simple_tag(takes_context=True)
def theme(context: dict[str, Any]) -> str:
    """Return the colour scheme that the visitor chose, empty for the system's."""
    request: HttpRequest | None = context.get("request")
    chosen = request.COOKIES.get("theme", "") if request else ""
    return chosen if chosen in THEMES else ""


@register.simple_tag(takes_context=True)
def current(context: dict[str, Any], prefix: str) -> str:
    """Return the attribute that marks the navigation link to the current page, or an empty string."""
    request: HttpRequest | None = context.get("request")
    return CURRENT if request and request.path.startswith(prefix) else ""


@register.filter
def figure(value: float) -> str:
    """Return a number with three significant digits."""
    return f"{value:.3g}"


@register.filter
def count(value: int) -> str:
    """Return a whole number with separated thousands: `64 000 000`."""
    return f"{value:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")


@register.filter
def plain(name: str) -> str:
    """Return one of our keys as words: `problem_version` becomes `problem version`."""
    return name.replace("_", " ")


@register.filter
def tag_url(tag: str) -> str:
    """Return the address of the page that explains a tag, else that of the list of its problems."""
    concept = concepts.concept_of_tag(tag)
    return concept.url if concept else f"{reverse('problems')}?{urlencode({'tag': tag})}"


@register.filter
def lesson(kind: str) -> Finding | None:
    """Return the page about findings of this kind."""
    return page_of_finding(kind)


@register.filter
def lessons(verdict: str) -> tuple[concepts.Lesson, ...]:
    """Return the lessons about a verdict."""
    return concepts.lessons_of_verdict(verdict)


register.filter("microseconds", figures.microseconds)
register.filter("interval", figures.interval)
register.filter("clocks", figures.clocks)


@register.simple_tag
def roofline(percent: float) -> SafeString:
    """Return the share of the GPU's speed that a time reaches, as a number next to a bar."""
    return format_html(
        '<span class="roofline"><svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">'
        '<rect class="rail" width="100" height="6"/><rect class="reached" width="{}" height="6"/></svg>'
        "{} %</span>",
        round(min(percent, _FULL_PERCENT)),
        round(percent),
    )


@register.simple_tag
def meter(percent: float, part: int, whole: int) -> SafeString:
    """Return a share as a bar, with a percentage and absolute numbers: `75 %, 48 of 64 warps`."""
    return format_html(
        '<span class="roofline"><svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">'
        '<rect class="rail" width="100" height="6"/><rect class="reached" width="{}" height="6"/></svg>'
        '<span class="numeric">{} % <span class="muted">{} of {} warps</span></span></span>',
        round(percent),
        round(percent),
        part,
        whole,
    )


@register.simple_tag
def spilled(kernel: KernelResources) -> SafeString | str:
    """Return the bytes per thread that did not fit into registers. They are marked if there are any."""
    total = kernel.spill_store_bytes + kernel.spill_load_bytes
    if not total:
        return "none"
    return format_html(
        '<span class="spilled tone-limit">{} B out, {} B in</span>',
        kernel.spill_store_bytes,
        kernel.spill_load_bytes,
    )
