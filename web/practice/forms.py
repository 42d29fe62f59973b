"""The filters and sort orders of the list of problems."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from django import forms

from problems.vocabulary import Difficulty, Language
from web.catalog.queries import Mark, Order

ORDERS: Mapping[str, str] = {
    Order.TRACK: "Track order",
    Order.TITLE: "Title",
    Order.DIFFICULTY: "Easiest",
    Order.ACCEPTANCE: "Highest acceptance",
    Order.SOLVERS: "Most solved",
    Order.NEWEST: "Newest",
}
LANGUAGES: Mapping[str, str] = {language: language.label for language in Language}


@dataclass(frozen=True, slots=True)
class ProblemQuery:
    """The filters of a list. `search` to `order` are for `queries.list_problems`."""

    search: str = ""
    difficulty: Difficulty | None = None
    tag: str | None = None
    track: str | None = None
    language: Language | None = None
    mark: Mark | None = None
    order: Order = Order.TRACK


def _words(among: Iterable[StrEnum]) -> forms.ChoiceField:
    return forms.ChoiceField(required=False, choices=[(word.value, word.value) for word in among])


class ProblemFilterForm(forms.Form):
    """The filters of the problem list, as they appear in its address."""

    q = forms.CharField(required=False, max_length=80, strip=True)
    difficulty = _words(Difficulty)
    tag = forms.CharField(required=False, max_length=40)
    track = forms.SlugField(required=False, max_length=60)
    language = _words(Language)
    status = _words(Mark)
    sort = _words(Order)

    def chosen(self) -> dict[str, str]:
        """Return the valid filters that are set, by their names in the address."""
        self.is_valid()
        usual = {"sort": Order.TRACK.value}
        return {
            name: value for name, value in self.cleaned_data.items() if value and value != usual.get(name)
        }

    def ignored(self) -> list[str]:
        """Return the names of invalid filters, which are ignored."""
        return list(self.errors)

    def wanted(self) -> ProblemQuery:
        """Return the arguments for the catalogue's query."""
        chosen = self.chosen()
        return ProblemQuery(
            search=chosen.get("q", ""),
            difficulty=Difficulty(chosen["difficulty"]) if "difficulty" in chosen else None,
            tag=chosen.get("tag"),
            track=chosen.get("track"),
            language=Language(chosen["language"]) if "language" in chosen else None,
            mark=Mark(chosen["status"]) if "status" in chosen else None,
            order=Order(chosen.get("sort", Order.TRACK)),
        )
