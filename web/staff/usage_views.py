"""The staff page about usage: GPU and CPU seconds by class, user and node, also as CSV."""

import csv
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from web.audit.access import staff_only
from web.submissions import usage
from web.submissions.usage import Usage

MAX_DAYS = 366
_SHOWN = 50
_DEFAULT = timedelta(days=29)
_DAY = timedelta(days=1)
# A spreadsheet would read a cell that begins with one of these as a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


class PeriodForm(forms.Form):
    """The first and the last day of a report, in UTC."""

    begin = forms.DateField(
        required=False, label="From", widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    )
    end = forms.DateField(
        required=False, label="To", widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    )

    def clean(self) -> dict[str, date]:
        """Complete the period: the last 30 days, or one end and 30 days.

        Raises:
            ValidationError: the period is empty or too long.
        """
        super().clean()
        given = self.cleaned_data
        end = given.get("end") or timezone.now().date()
        begin = given.get("begin") or end - min(_DEFAULT, end - date.min)
        if not 0 <= (end - begin).days < MAX_DAYS or end == date.max:
            raise forms.ValidationError(f"Choose a period of 1 to {MAX_DAYS} days.")
        return {"begin": begin, "end": end}

    @property
    def error(self) -> str:
        """Return the last error, in one sentence."""
        return self.errors.as_text().rpartition("* ")[2]


@dataclass(frozen=True, slots=True)
class _Kind:
    """A table of the report."""

    label: str
    column: str
    nameless: str
    read: Callable[[datetime, datetime], list[Usage]]


KINDS = {
    "class": _Kind("By class", "Class", "no class", usage.by_class),
    "user": _Kind("By user", "User", "", usage.by_user),
    "node": _Kind("By node", "Node", "unknown", usage.by_node),
}


@dataclass(frozen=True, slots=True)
class _Table:
    """A table in words. `more` counts the rows that only the CSV file has."""

    kind: _Kind
    rows: list[Usage]
    more: int
    csv_url: str


@require_safe
@staff_only
def usage_report(request: HttpRequest) -> HttpResponse:
    """Show what judging used in a period, or one table of it as CSV."""
    form = PeriodForm(request.GET)
    as_csv = request.GET.get("csv", "")
    if as_csv and as_csv not in KINDS:
        raise Http404
    if not form.is_valid():
        context = {"form": form, "tables": [], "error": form.error}
        return render(request, "staff/usage.html", context, status=422)
    begin, end = form.cleaned_data["begin"], form.cleaned_data["end"]
    period = moments(begin, end)
    if as_csv:
        return _csv(as_csv, begin, end)
    given = {"begin": begin.isoformat(), "end": end.isoformat()}
    tables = []
    for name, kind in KINDS.items():
        rows = kind.read(*period)
        url = f"?{urlencode({**given, 'csv': name})}"
        tables.append(_Table(kind, rows[:_SHOWN], max(len(rows) - _SHOWN, 0), url))
    context = {"form": PeriodForm(given), "total": usage.total(*period), "tables": tables}
    return render(request, "staff/usage.html", context)


def moments(begin: date, end: date) -> tuple[datetime, datetime]:
    """Return when the first day begins and when the last one is over, in UTC."""
    return datetime.combine(begin, time.min, UTC), datetime.combine(end, time.min, UTC) + _DAY


def write_csv(stream: object, kind: str, rows: list[Usage]) -> None:
    """Write a table to a stream, with a header."""
    writer = csv.writer(stream)  # type: ignore[arg-type]  # HttpResponse and OutputWrapper both write
    writer.writerow([kind, "submissions", "gpu_s", "cpu_s"])
    for row in rows:
        name = f"'{row.name}" if row.name.startswith(_FORMULA) else row.name
        writer.writerow([name, row.submissions, f"{row.gpu_s:.3f}", f"{row.cpu_s:.3f}"])


def _csv(kind: str, begin: date, end: date) -> HttpResponse:
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="usage-by-{kind}-{begin}-{end}.csv"'
    write_csv(response, kind, KINDS[kind].read(*moments(begin, end)))
    return response
