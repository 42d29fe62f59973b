"""A search for problems inside the form of a track. It works without JavaScript and saves nothing."""

from dataclasses import dataclass

from django.http import HttpRequest

from web.audit.access import member
from web.catalog import queries
from web.catalog.models import Problem
from web.catalog.queries import Order
from web.staff.track_forms import TrackForm
from web.tracks.models import Track

MOST_FOUND = 20
_LONGEST = 100  # characters of a search


@dataclass(frozen=True, slots=True)
class Found:
    """A search result, and whether the track already has the problem."""

    problem: Problem
    listed: bool


@dataclass(frozen=True, slots=True)
class Picker:
    """The results for `words`.

    `searched` is False before the first search. `more` says whether there are further results.
    """

    words: str
    searched: bool
    found: list[Found]
    more: bool


def picking(request: HttpRequest) -> bool:
    """Return whether the form was sent to search for problems or to add one, and not to be saved."""
    return request.method == "POST" and bool(request.POST.keys() & {"find", "add"})


def picked_form(request: HttpRequest, track: Track) -> TrackForm:
    """Return the form as it was filled in, with the chosen problem at the end of its list."""
    given = {name: request.POST.get(name, "") for name in TrackForm.Meta.fields}
    slugs = given["stops"].split()
    if (chosen := request.POST.get("add", "")) and chosen not in slugs:
        slugs.append(chosen)
    shown = given | {"stops": "\n".join(slugs), "published": "published" in request.POST}
    return TrackForm(initial=shown, instance=track)


def picker_of(request: HttpRequest, form: TrackForm) -> Picker:
    """Return the results of the search that was sent with the form."""
    words = request.POST.get("words", "").replace("\0", "")[:_LONGEST]
    if not picking(request):
        return Picker(words, searched=False, found=[], more=False)
    rows = list(queries.list_problems(member(request), search=words, order=Order.TITLE)[: MOST_FOUND + 1])
    listed = set(str(form["stops"].value()).split())
    found = [Found(problem, problem.slug in listed) for problem in rows[:MOST_FOUND]]
    return Picker(words, searched=True, found=found, more=len(rows) > MOST_FOUND)
