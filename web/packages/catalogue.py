"""Writes to the catalogue."""

from collections.abc import Collection
from dataclasses import asdict

from django.db import transaction
from django.utils import timezone

from problems import schema
from problems.under_test import own_sizes
from problems.vocabulary import ProgramKind
from web.audit.models import AuditEntry, AuditKind
from web.audit.services import log
from web.catalog.models import Problem, Tagging
from web.catalog.signature import to_row
from web.packages.models import PackageVersion


@transaction.atomic
def enter(package: schema.Problem) -> Problem:
    """Return the row of the problem that `package` is a version of; create it, hidden, if there is none."""
    problem, new = Problem.objects.get_or_create(
        slug=package.slug, defaults={**_columns(package), "published": False}
    )
    if new:
        tag(problem)
    return problem


@transaction.atomic
def show(problem: Problem, package: schema.Problem, live: PackageVersion, *, publish: bool) -> bool:
    """Copy the metadata of `package` to the row, with the version `live`. Return whether anything changed.

    With `publish` the problem becomes visible to users, else the choice of staff is kept.
    """
    columns = {**_columns(package), "package_id": live.pk, **({"published": True} if publish else {})}
    changed = [name for name, value in columns.items() if getattr(problem, name) != value]
    for name in changed:
        setattr(problem, name, columns[name])
    if changed:
        problem.updated = timezone.now()
        problem.save(update_fields=[*(name.removesuffix("_id") for name in changed), "updated"])
        if "tags" in changed:
            tag(problem)
    return bool(changed)


@transaction.atomic
def hide_all_but(slugs: Collection[str]) -> tuple[str, ...]:
    """Hide all problems except those, and return the slugs of the hidden ones.

    They are not deleted: submissions refer to them. The audit log tells them from the problems that staff
    withdrew.
    """
    gone = Problem.objects.filter(published=True).exclude(slug__in=slugs)
    hidden = list(gone.select_for_update().only("slug", "title"))
    gone.update(published=False)
    for problem in hidden:
        log(None, AuditKind.UNLOAD, problem)
    return tuple(problem.slug for problem in hidden)


@transaction.atomic
def show_unloaded(problem: Problem) -> bool:
    """Show `problem` if `hide_all_but` was the last to hide it. Return whether it did."""
    if problem.published:
        return False
    about = AuditEntry.objects.filter(target_kind="problem", target_id=str(problem.pk))
    last = about.filter(kind__in=(AuditKind.UNLOAD, AuditKind.WITHDRAW)).first()
    if last is None or last.kind != AuditKind.UNLOAD:
        return False
    problem.published = True
    problem.save(update_fields=["published"])
    log(None, AuditKind.SHOW, problem)
    return True


def tag(problem: Problem) -> None:
    """Update the rows of tags from `problem.tags`. The filters of lists use them."""
    Tagging.objects.filter(problem=problem).delete()
    Tagging.objects.bulk_create(Tagging(problem=problem, name=name) for name in problem.tags)


def _columns(package: schema.Problem) -> dict[str, object]:
    return {
        "title": package.title,
        "summary": package.summary,
        "difficulty": package.difficulty.value,
        "tags": list(package.tags),
        "track_day": package.track_day,
        "version": package.version,
        "statement": package.statement,
        "translations": dict(package.translations),
        "editorial": package.editorial or "",
        "hints": list(package.hints),
        "starters": {language.value: package.starters[language] for language in package.languages},
        "signature": [to_row(argument) for argument in package.arguments],
        "has_checker": package.checker is not None,
        "samples": [
            {
                "name": case.name,
                "sizes": own_sizes(case),
                "inputs": {name: list(values) for name, values in case.inputs.items()},
            }
            for case in package.cases
            if case.public
        ],
        "tiers": list(package.tiers),
        "requirements": [
            {
                "counter": requirement.counter.value,
                "relation": requirement.relation.value,
                "bound": requirement.bound,
                "explanation": requirement.explanation,
            }
            for requirement in package.requirements
        ],
        "score": package.score
        and {
            "name": package.score.name,
            "better": package.score.better.value,
            "unit": package.score.unit,
            "ranks": package.ranks_by_score,
        },
        "limits": _limits(package),
    }


def _limits(package: schema.Problem) -> dict[str, object]:
    """Return the limits that are set, for pages and the API, with the types that JSON returns."""
    limits = asdict(package.limits)
    if package.fix is not None:
        limits |= {"changed_lines": package.fix.changes, "changed_tokens": package.fix.most_tokens}
    if package.devices_needed > 1:
        limits["gpu_count"] = package.devices_needed
    if package.ranks > 1:
        limits["ranks"] = package.ranks
    if package.under_test is not None:
        kinds = [case.program for case in package.cases]
        limits |= {
            "least_killed": package.under_test.least_killed,
            "faulty_programs": kinds.count(ProgramKind.FAULTY),
            "right_programs": kinds.count(ProgramKind.RIGHT),
        }
    told = {name: list(v) if isinstance(v, tuple) else v for name, v in limits.items()}
    return {
        name: value
        for name, value in told.items()
        if value is not None and not (name in {"gpus", "sizes"} and not value)
    }
