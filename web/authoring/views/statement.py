"""The tab of the statement: text with a live preview, translations, figures, description in lists."""

from collections.abc import Mapping
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from problems.faults import Faults
from problems.parse import parse_description
from problems.placeholders import placeholders
from problems.translations import LOCALE, locale_name, locales_in, path_of
from web.authoring import figures, rights
from web.authoring.editing.about import read_about, write_about
from web.authoring.editing.document import DescriptionUnreadable
from web.authoring.fault_fields import ABOUT, show
from web.authoring.forms.plain import complaints
from web.authoring.forms.statement import AboutForm, FigureForm, StatementForm
from web.authoring.models import Workspace
from web.authoring.pages import DESCRIPTION, description_of, tab_context
from web.authoring.permissions import in_workspace
from web.authoring.queries import NotText, read_text, sizes
from web.authoring.saving import refused, save, wants_json
from web.authoring.statement_view import STATEMENT, StatementView, statement_view
from web.packages.figures import POLICY
from web.site.asking import Question, ask

_form = require_http_methods(["GET", "HEAD", "POST"])


@_form
@in_workspace()
def statement(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Show and save the statement in one language."""
    locale = request.GET.get("locale", "")
    path = _path_or_404(workspace, locale)
    sent = request.POST if request.method == "POST" else None
    form = StatementForm(sent, initial={"text": _text(workspace, path)}, locale=locale)
    about = None if locale else _about(workspace, sent)
    if sent is not None:
        if form.is_valid() and (about is None or about.is_valid()):
            changes: dict[str, bytes | None] = {path: form.content() or b"\n"}
            if about is not None:
                changes[DESCRIPTION] = write_about(description_of(workspace), about.row()).encode()
            return save(request, workspace, changes, back=request.get_full_path())
        if wants_json(request):
            reasons = complaints(form, *([about] if about else []))
            return refused(request, workspace, reasons, back=request.get_full_path())
    return _page(request, workspace, locale, form, about)


@require_POST
@in_workspace()
def translation_add(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Add a translation that starts with the original text."""
    here = reverse("author-statement", args=[workspace.slug])
    locale = request.POST.get("locale", "").strip()
    if not LOCALE.fullmatch(locale):
        return refused(request, workspace, ["Enter a language code such as de, fr or pt-BR."], back=here)
    if path_of(locale) in sizes(workspace):
        return refused(request, workspace, [f"A translation to {locale} already exists."], back=here)
    text = _text(workspace, STATEMENT) or "\n"
    return save(request, workspace, {path_of(locale): text.encode()}, back=f"{here}?locale={locale}")


@_form
@in_workspace(read=rights.EDIT)
def translation_remove(request: HttpRequest, workspace: Workspace, locale: str) -> HttpResponse:
    """Remove a translation, after a confirmation. The history keeps it."""
    if not locale:
        raise Http404
    path = _path_or_404(workspace, locale)
    here = reverse("author-statement", args=[workspace.slug])
    if request.method == "POST":
        return save(request, workspace, {path: None}, back=here)
    question = Question(
        f"Remove the {locale_name(locale)} translation?",
        f"This removes {path}. From the next published version on, all learners see the original. "
        f"{_kept(workspace)}",
        "Remove translation",
        workspace.title or workspace.slug,
        f"{here}?locale={locale}",
        sent={"expected": workspace.revision},
    )
    return ask(request, question)


@require_POST
@in_workspace(write=rights.VIEW)
def preview(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Return a fragment of the page with the text as learners will see it."""
    form = StatementForm(request.POST)
    form.full_clean()
    text = str(form.cleaned_data.get("text", "")).replace("\r\n", "\n")
    path = _path(request.POST.get("locale", ""))
    about = _about(workspace, request.POST) if path == STATEMENT else None
    description = None
    if about is not None and about.is_valid():
        description = write_about(description_of(workspace), about.row())
    view = statement_view(workspace, path, text, description=description)
    return render(request, "authoring/statement_preview.html", _shown(view))


@require_POST
@in_workspace()
def figure_add(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Upload an image. It replaces an image with the same name."""
    form = FigureForm(request.POST, request.FILES)
    back = reverse("author-statement", args=[workspace.slug]) + "#figures"
    if not form.is_valid():
        return refused(request, workspace, complaints(form), back=back)
    found = form.cleaned_data["figure"]
    return save(request, workspace, {f"{figures.FOLDER}{found.name}": found.content}, back=back)


@require_safe
@in_workspace()
def figure(_request: HttpRequest, workspace: Workspace, name: str) -> HttpResponse:
    """Return an image of the statement or the editorial."""
    found = figures.find_figure(workspace, name)
    if found is None:
        raise Http404("Figure not found.")
    headers = {"Content-Security-Policy": POLICY}
    return HttpResponse(found.content, content_type=found.media_type, headers=headers)


@_form
@in_workspace(read=rights.EDIT)
def figure_remove(request: HttpRequest, workspace: Workspace, name: str) -> HttpResponse:
    """Remove an image, after a confirmation. The history keeps it."""
    path = f"{figures.FOLDER}{name}"
    if path not in sizes(workspace):
        raise Http404("Figure not found.")
    back = reverse("author-statement", args=[workspace.slug]) + "#figures"
    if request.method == "POST":
        return save(request, workspace, {path: None}, back=back)
    question = Question(
        f"Remove {name}?",
        f"Texts that still show this figure become invalid. {_kept(workspace)}",
        "Remove figure",
        workspace.title or workspace.slug,
        back,
        sent={"expected": workspace.revision},
    )
    return ask(request, question)


def _page(
    request: HttpRequest,
    workspace: Workspace,
    locale: str,
    form: StatementForm,
    about: AboutForm | None,
) -> HttpResponse:
    there = sizes(workspace)
    path = _path(locale)
    text = str(form["text"].value() or "").replace("\r\n", "\n")
    names = sorted(name.removeprefix(figures.FOLDER) for name in there if name.startswith(figures.FOLDER))
    view = statement_view(workspace, path, text)
    context = tab_context(
        request,
        workspace,
        "statement",
        path,
        figures.FOLDER,
        *(() if locale else ("title", "summary", "difficulty", "tags", "track_day")),
        form=form,
        about=about,
        figure_form=FigureForm(),
        figures=[(name, figures.find_figure(workspace, name)) for name in names],
        locale=locale,
        locale_name=locale_name(locale) if locale else "",
        locales=[(known, locale_name(known)) for known in locales_in(there)],
        placeholders=_placeholders(workspace),
    ) | _shown(view)
    faulty = form.errors or (about and about.errors)
    if about:
        show(about, context["faults"], "", ABOUT)
    return render(request, "authoring/statement.html", context, status=422 if faulty else 200)


def _kept(workspace: Workspace) -> str:
    """Return how to undo a removal from the current revision, which the history then always keeps."""
    return (
        f"To undo this later, restore revision {workspace.revision} under History. "
        "This restores all files of that revision."
    )


def _shown(view: StatementView) -> dict[str, Any]:
    return {"page": view, "problem": view.problem, "preview": True}


def _placeholders(workspace: Workspace) -> Mapping[str, str]:
    """Return the placeholders that a text may use, with their values. Empty while problem.toml has faults."""
    faults = Faults(workspace.slug)
    try:
        described = parse_description(description_of(workspace), faults)
    except DescriptionUnreadable:
        return {}
    return placeholders(described) if described.sound and not faults.count else {}


def _about(workspace: Workspace, sent: QueryDict | None) -> AboutForm | None:
    """Return the form of the description, or None if problem.toml can't be shown as a form."""
    try:
        row = read_about(description_of(workspace))
    except DescriptionUnreadable:
        return None
    return AboutForm(sent) if sent is not None else AboutForm.showing(row)


def _path(locale: str) -> str:
    return path_of(locale) if LOCALE.fullmatch(locale) else STATEMENT


def _path_or_404(workspace: Workspace, locale: str) -> str:
    if not locale:
        return STATEMENT
    if not LOCALE.fullmatch(locale) or path_of(locale) not in sizes(workspace):
        raise Http404("Translation not found.")
    return path_of(locale)


def _text(workspace: Workspace, path: str) -> str:
    """Return the text of a file. A file that is not text gives an empty string; its faults report that."""
    try:
        return read_text(workspace, path)
    except NotText:
        return ""
