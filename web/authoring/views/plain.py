"""The tabs of checking, limits and formulas."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from problems.faults import PackageInvalid
from web.authoring.demands import chosen_gpu, demands, gpu_names
from web.authoring.editing import checking as tolerances
from web.authoring.editing import general
from web.authoring.editing.cases import read_cases, size_names
from web.authoring.editing.requirements import read_requirements, write_requirements
from web.authoring.fault_fields import FIX, FORMULAS, LIMITS, TOLERANCE, UNDER_TEST, show
from web.authoring.folders import load
from web.authoring.forms import plain as forms
from web.authoring.forms.requirements import RequirementsForm
from web.authoring.models import Workspace
from web.authoring.pages import DESCRIPTION, description_of, needs_description, tab_context
from web.authoring.permissions import in_workspace
from web.authoring.queries import read_text
from web.authoring.recommending import recommended
from web.authoring.saving import refused, save, wants_json

CHECKER = "checker.py"
_form = require_http_methods(["GET", "HEAD", "POST"])


@_form
@in_workspace()
@needs_description
def checking(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Show and save the tolerances of the outputs, and a custom checker."""
    text = description_of(workspace)
    rows = tolerances.read_tolerances(text)
    sent = request.POST if request.method == "POST" else None
    filled = forms.tolerance_forms(rows, sent)
    checker = forms.TextForm(sent, prefix="checker", initial={"text": read_text(workspace, CHECKER)})
    if sent is not None:
        if all(form.is_valid() for form in [*filled, checker]):
            changed = tolerances.write_tolerances(text, forms.tolerances(rows, filled))
            changes = {DESCRIPTION: changed.encode(), CHECKER: checker.content()}
            return save(request, workspace, changes)
        if wants_json(request):
            return refused(request, workspace, _complaints(*filled, checker), back=request.path)
    known = recommended(workspace)
    outputs = [
        {"row": row, "form": form, "found": known.get(row.name)}
        for row, form in zip(rows, filled, strict=True)
    ]
    context = tab_context(
        request,
        workspace,
        "checking",
        "arguments",
        CHECKER,
        outputs=outputs,
        checker=checker,
    )
    for row, tolerance in zip(rows, filled, strict=True):
        show(tolerance, context["faults"], f"arguments[{row.at}].tolerance", TOLERANCE, "relative")
    return render(request, "authoring/checking.html", context, status=422 if sent else 200)


@_form
@in_workspace()
@needs_description
def limits(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Show and save languages, limits, the given program, the programs under test and the requirements."""
    text = description_of(workspace)
    sent = request.POST if request.method == "POST" else None
    if sent is not None:
        form, fix = forms.LimitsForm(sent), forms.FixForm(sent, prefix="fix")
        tests = forms.UnderTestForm(sent, prefix="test")
        required = RequirementsForm(sent, prefix="requirements")
        if all(filled.is_valid() for filled in (form, fix, tests, required)):
            changed = general.write_fix(general.write_limits(text, form.row()), fix.row())
            changed = general.write_under_test(changed, tests.row())
            changed = write_requirements(changed, required.rows())
            return save(request, workspace, {DESCRIPTION: changed.encode()})
        if wants_json(request):
            return refused(request, workspace, _complaints(form, fix, tests, required), back=request.path)
    else:
        form = forms.LimitsForm.showing(general.read_limits(text))
        fix = forms.FixForm.showing(general.read_fix(text))
        tests = forms.UnderTestForm.showing(general.read_under_test(text))
        required = RequirementsForm.showing(read_requirements(text))
    context = tab_context(
        request,
        workspace,
        "limits",
        "languages",
        "limits",
        "fix",
        "test",
        "requirements",
        form=form,
        fix=fix,
        tests=tests,
        required=required,
    )
    show(required, context["faults"], "requirements", {}, "lines")
    show(fix, context["faults"], "fix", FIX, "given")
    show(tests, context["faults"], "test", UNDER_TEST, "faulty")
    show(form, context["faults"], "languages", {}, "languages")
    show(form, context["faults"], "limits", LIMITS)
    return render(request, "authoring/limits.html", context, status=422 if sent else 200)


@_form
@in_workspace()
@needs_description
def formulas(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Show and save the formulas of bytes and operations, with their values for each case."""
    text = description_of(workspace)
    sent = request.POST if request.method == "POST" else None
    shown = forms.FormulasForm.showing(general.read_formulas(text))
    form = forms.FormulasForm(sent) if sent is not None else shown
    if sent is not None and form.is_valid():
        changed = general.write_formulas(text, form.row())
        return save(request, workspace, {DESCRIPTION: changed.encode()})
    if sent is not None and wants_json(request):
        return refused(request, workspace, _complaints(form), back=request.path)
    context = tab_context(
        request,
        workspace,
        "formulas",
        "formulas",
        "tiers",
        form=form,
        size_names=size_names(read_cases(text)),
        counted=_counted(workspace, request.GET.get("gpu", "")),
        gpu=chosen_gpu(request.GET.get("gpu", "")).name,
        gpus=gpu_names(),
    )
    show(form, context["faults"], "formulas", FORMULAS)
    show(form, context["faults"], "tiers", {}, "tiers")
    return render(request, "authoring/formulas.html", context, status=422 if sent else 200)


def _counted(workspace: Workspace, gpu: str) -> list[dict[str, object]]:
    """Return the values of the formulas for each case, or an empty list while the package has faults."""
    try:
        problem = load(workspace)
    except PackageInvalid:
        return []
    asked = demands(problem, chosen_gpu(gpu))
    return [
        {
            "case": case,
            "bytes_moved": problem.bytes_moved.evaluate(case.sizes),
            "operations": problem.operations.evaluate(case.sizes),
            "demand": asked[case.name],
        }
        for case in problem.cases
    ]


def _complaints(*filled: Any) -> list[str]:
    return [
        f"{form.fields[name].label or name}: {text}" if name in form.fields else str(text)
        for form in filled
        for name, texts in form.errors.items()
        for text in texts
    ]
