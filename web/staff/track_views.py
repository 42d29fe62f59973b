"""Staff pages about tracks: write them, show and hide them, schedule contests."""

from dataclasses import dataclass

from django.contrib import messages
from django.db import transaction
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from web.audit.access import member, staff_only
from web.audit.models import AuditKind
from web.audit.services import log
from web.site.paging import first_rows
from web.staff.problem_picker import picked_form, picker_of, picking
from web.staff.track_forms import ScheduleForm, TrackForm
from web.tracks.models import Entry, PlannedEntry, Track
from web.tracks.queries import FEWEST_LIVE, contest_of
from web.tracks.services import set_problems


@dataclass(frozen=True, slots=True)
class TrackRow:
    """A track with the number of its problems. `contest` is its state; empty if it has no contest.

    `missing` is the number of further problems that it needs before it is shown.
    """

    track: Track
    problems: int
    missing: int
    contest: str


@require_safe
@staff_only
def track_list(request: HttpRequest) -> HttpResponse:
    """Show all tracks, also unpublished ones and those without problems."""
    found = Track.objects.order_by("order", "slug")
    if last := Track.objects.filter(slug=request.GET.get("after", "").replace("\0", "")).first():
        found = found.filter(Q(order__gt=last.order) | Q(order=last.order, slug__gt=last.slug))
    tracks, more = first_rows(found)
    lengths = dict(Entry.objects.order_by().values_list("track").annotate(Count("pk")))
    planned = set(PlannedEntry.objects.order_by().values_list("track", flat=True).distinct())
    now = timezone.now()
    rows = []
    for track in tracks:
        contest = contest_of(track)
        length = lengths.get(track.pk, 0)
        missing = max(0, (FEWEST_LIVE if track.pk in planned else 1) - length)
        rows.append(TrackRow(track, length, missing, contest.state(now) if contest else ""))
    following = f"?{urlencode({'after': tracks[-1].slug})}" if more else ""
    return render(request, "staff/tracks.html", {"rows": rows, "following": following})


@require_http_methods(["GET", "HEAD", "POST"])
@staff_only
def track_new(request: HttpRequest) -> HttpResponse:
    """Write a new track."""
    if picking(request):
        return _form_page(request, picked_form(request, Track(from_files=False)))
    form = TrackForm(request.POST or None, instance=Track(from_files=False))
    if form.is_valid():
        with transaction.atomic():
            track = form.save()
            set_problems(track, form.cleaned_data["stops"])
            log(member(request), AuditKind.TRACK_ADD, track)
        messages.success(request, f"{track.title} created.")
        return redirect("staff-tracks")
    return _form_page(request, form)


@require_http_methods(["GET", "HEAD", "POST"])
@staff_only
def track_edit(request: HttpRequest, slug: str) -> HttpResponse:
    """Change a track. The texts and problems of a track from a file stay as the file has them."""
    track = get_object_or_404(Track, slug=slug)
    if picking(request) and not track.from_files:
        return _form_page(request, picked_form(request, track), track)
    form = (ScheduleForm if track.from_files else TrackForm)(request.POST or None, instance=track)
    if form.is_valid():
        with transaction.atomic():
            track = form.save()
            if "stops" in form.changed_data:
                set_problems(track, form.cleaned_data["stops"])
            if form.changed_data:
                log(member(request), AuditKind.TRACK_CHANGE, track, **_changes(form))
        messages.success(request, f"{track.title} saved.")
        return redirect("staff-tracks")
    return _form_page(request, form, track)


@require_POST
@staff_only
def track_delete(request: HttpRequest, slug: str) -> HttpResponse:
    """Delete a track that staff wrote. Its problems and all submissions stay."""
    track = get_object_or_404(Track, slug=slug, from_files=False)
    with transaction.atomic():
        log(member(request), AuditKind.TRACK_DELETE, track)
        track.delete()
    messages.success(request, f"{track.title} deleted.")
    return redirect("staff-tracks")


def _changes(form: ScheduleForm) -> dict[str, object]:
    """Return the changed fields, and the schedule before and after."""
    schedule = [name for name in form.changed_data if name in ScheduleForm.Meta.fields]
    values = {name: [str(form.initial[name]), str(form.cleaned_data[name])] for name in schedule}
    return {"changed": form.changed_data, **values}


def _form_page(request: HttpRequest, form: ScheduleForm, track: Track | None = None) -> HttpResponse:
    picker = picker_of(request, form) if isinstance(form, TrackForm) else None
    context = {"form": form, "track": track, "picker": picker}
    return render(request, "staff/track_edit.html", context, status=422 if form.errors else 200)
