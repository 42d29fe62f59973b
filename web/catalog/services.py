"""Writes to the catalogue."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass

from django.db import transaction
from django.utils import timezone

from problems import schema
from web.catalog.models import Problem, Tagging


@dataclass(frozen=True, slots=True)
class Synced:
    """What a sync did, as slugs."""

    created: tuple[str, ...]
    updated: tuple[str, ...]
    unpublished: tuple[str, ...]


@transaction.atomic
def sync(packages: Iterable[schema.Problem], *, publish: bool = True) -> Synced:
    """Make the catalogue say what `packages` say.

    New problems are published if `publish`; known ones keep the choice that staff made. Problems
    without a package are unpublished, not deleted: submissions refer to them.
    """
    created, updated, seen = [], [], set()
    for package in packages:
        seen.add(package.slug)
        problem, new = Problem.objects.get_or_create(
            slug=package.slug, defaults={**_columns(package), "published": publish}
        )
        if new:
            created.append(package.slug)
            tag(problem)
        elif _refresh(problem, package):
            updated.append(package.slug)
    gone = Problem.objects.filter(published=True).exclude(slug__in=seen)
    slugs = tuple(gone.values_list("slug", flat=True))
    gone.update(published=False)
    return Synced(tuple(created), tuple(updated), slugs)


def tag(problem: Problem) -> None:
    """Make the rows that lists are narrowed by say what `problem.tags` says."""
    Tagging.objects.filter(problem=problem).delete()
    Tagging.objects.bulk_create(Tagging(problem=problem, name=name) for name in problem.tags)


def _refresh(problem: Problem, package: schema.Problem) -> bool:
    columns = _columns(package)
    changed = [name for name, value in columns.items() if getattr(problem, name) != value]
    for name in changed:
        setattr(problem, name, columns[name])
    if changed:
        problem.updated = timezone.now()
        problem.save(update_fields=[*changed, "updated"])
        if "tags" in changed:
            tag(problem)
    return bool(changed)


def _columns(package: schema.Problem) -> dict[str, object]:
    return {
        "title": package.title,
        "summary": package.summary,
        "difficulty": package.difficulty.value,
        "tags": list(package.tags),
        "track_day": package.track_day,
        "version": package.version,
        "statement": package.statement,
        "editorial": package.editorial or "",
        "starters": {language.value: package.starters[language] for language in package.languages},
        "signature": [
            {
                "name": argument.name,
                "role": argument.role.value,
                "dtype": argument.dtype.value,
                "shape": [formula.text for formula in argument.shape],
            }
            for argument in package.arguments
        ],
        "samples": [{"name": case.name, "sizes": dict(case.sizes)} for case in package.cases if case.public],
        "limits": asdict(package.limits),
    }
