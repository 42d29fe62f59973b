"""All sources of the solutions on one page, for a change of the signature."""

from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from problems.vocabulary import Language
from web.authoring.editing.declaration import declaration_in, differs, with_declaration
from web.authoring.editing.solutions import read_solutions
from web.authoring.forms.plain import TextForm, complaints
from web.authoring.models import Workspace
from web.authoring.pages import description_of, needs_description, tab_context
from web.authoring.permissions import in_workspace
from web.authoring.queries import read_text, sizes
from web.authoring.saving import refused, save, wants_json
from web.authoring.starters import declarations_of

FOLDER = "solutions/"
ALL = "*"


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A source in its form. `declaration` is the derived one, or empty if the signature has faults.

    `differs`: the source declares its entry point differently. `insertable`: the source declares an entry
    point.
    """

    file: str
    verdict: str
    language: Language | None
    form: TextForm
    declaration: str
    differs: bool
    insertable: bool


@require_http_methods(["GET", "HEAD", "POST"])
@in_workspace()
@needs_description
def sources(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Show and save all sources. *Insert* puts the derived declaration into a source and saves nothing."""
    sent = request.POST if request.method == "POST" else None
    texts = _texts(workspace)
    forms = {file: TextForm(sent, prefix=file, initial={"text": text}) for file, text in texts.items()}
    declared = declarations_of(workspace)
    status = 200
    if sent is not None and "insert" in sent:
        forms = {file: _inserted(file, form, sent["insert"], declared) for file, form in forms.items()}
        messages.info(request, "The signature is inserted. Check the sources, then save them.")
    elif sent is not None:
        if all(form.is_valid() for form in forms.values()):
            changes = {f"{FOLDER}{file}": form.content() or b"\n" for file, form in forms.items()}
            return save(request, workspace, changes)
        if wants_json(request):
            return refused(request, workspace, complaints(*forms.values()), back=request.path)
        status = 422
    verdicts = {row.file: row.verdict for row in read_solutions(description_of(workspace))}
    rows = [_row(file, form, verdicts.get(file, ""), declared) for file, form in forms.items()]
    context = tab_context(
        request,
        workspace,
        "solutions",
        FOLDER,
        rows=rows,
        declarations=declared,
        differing=sum(row.differs for row in rows),
    )
    return render(request, "authoring/sources.html", context, status=status)


def _texts(workspace: Workspace) -> dict[str, str]:
    paths = [path for path in sizes(workspace) if path.startswith(FOLDER)]
    return {path.removeprefix(FOLDER): read_text(workspace, path) for path in paths}


def _inserted(file: str, form: TextForm, wanted: str, declared: dict[Language, str]) -> TextForm:
    """Return the form with the typed text. If `file` is `wanted`, the text gets the derived declaration."""
    form.full_clean()
    text = str(form.cleaned_data.get("text", form.initial["text"])).replace("\r\n", "\n")
    language = Language.of_file(file)
    if language in declared and wanted in {ALL, file} and differs(text, declared[language], language):
        text = with_declaration(text, declared[language], language)
    return TextForm(prefix=file, initial={"text": text})


def _row(file: str, form: TextForm, verdict: str, declared: dict[Language, str]) -> SourceRow:
    language, text = Language.of_file(file), str(form["text"].value() or "").replace("\r\n", "\n")
    declaration = declared.get(language, "") if language else ""
    if language is None or not declaration:
        return SourceRow(file, verdict, language, form, "", differs=False, insertable=False)
    return SourceRow(
        file,
        verdict,
        language,
        form,
        declaration,
        differs=differs(text, declaration, language),
        insertable=declaration_in(text, declaration, language) is not None,
    )
