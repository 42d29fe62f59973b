"""Loads problem packages: folders of data and text. It never executes any code of a package.

Theory of operation. `package` reads the files, `parse` converts problem.toml to typed values, and `rules`
checks that the parts fit together. All three only collect faults, so that an author sees all of them at once.
A Problem is created only if there are no faults.
"""

import dataclasses
import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from problems.binding import starter
from problems.checker_rules import parse_rules
from problems.contents import is_slug
from problems.faults import Faults, PackageInvalid
from problems.hints import HINT_FILES
from problems.package import PackageFiles, read_package
from problems.parse import Description, parse_description
from problems.placeholders import resolve
from problems.rules import check_description, check_files
from problems.schema import Problem, Solution, UnderTest
from problems.under_test import programs_in_order
from problems.vocabulary import Language, OracleKind

_VERSION_SCHEME = 1  # increase it if the meaning of a package changes


def problems_root() -> Path:
    """The folder of the problems that ship with Warpcourt."""
    return Path(__file__).resolve().parent


def load_problem(folder: Path) -> Problem:
    """Load and validate the package in `folder`, whose name is the slug.

    Raises:
        PackageInvalid: the package has faults. The message lists all of them.
    """
    slug = folder.name
    faults = Faults(slug)
    if not is_slug(slug):
        faults.add("", "", "the folder's name is the slug: lower-case words joined by hyphens; rename it")
    if folder.is_symlink() or not folder.is_dir():
        faults.add("", "", "must be a folder, not a symbolic link")
        faults.raise_any()
    files = read_package(folder, faults)
    description = parse_description(files.description, faults)
    check_description(description, faults)
    check_files(description, files, faults)
    if description.sound:
        files = _resolved(files, description, faults)
    faults.raise_any()
    return _assemble(folder, description, files)


def load_sound(root: Path) -> tuple[tuple[Problem, ...], tuple[str, ...]]:
    """Return every valid package below `root`, in the order of their slugs, and the faults of the others."""
    problems: list[Problem] = []
    faults: list[str] = []
    for description in sorted(root.glob("*/problem.toml")):
        try:
            problems.append(load_problem(description.parent))
        except PackageInvalid as error:
            faults.extend(error.faults)
    return tuple(problems), tuple(faults)


def load_all(root: Path) -> tuple[Problem, ...]:
    """Load every package below `root`, in the order of their slugs.

    Raises:
        PackageInvalid: packages have faults. The message lists all of them.
    """
    problems, faults = load_sound(root)
    if faults:
        raise PackageInvalid(faults)
    return problems


def _assemble(folder: Path, description: Description, files: PackageFiles) -> Problem:
    given = _given(description, files)
    problem = Problem(
        slug=folder.name,
        title=description.title,
        summary=description.summary,
        difficulty=description.difficulty,
        tags=description.tags,
        languages=description.languages,
        arguments=description.arguments,
        cases=description.cases,
        limits=description.limits,
        bytes_moved=description.bytes_moved,
        operations=description.operations,
        beatable=description.beatable,
        statement=files.statement,
        reference=files.reference,
        starters={**files.starters, **given},
        solutions=tuple(
            Solution(
                path=folder.resolve() / "solutions" / declared.file,
                language=Language.of_file(declared.file) or description.languages[0],
                verdict=declared.verdict,
                note=declared.note,
                gpu_verdicts=declared.gpu_verdicts,
                baseline=declared.baseline,
                label=declared.label,
            )
            for declared in description.solutions
        ),
        version=_version(description, files),
        track_day=description.track_day,
        editorial=files.editorial,
        hints=files.hints,
        checker=files.checker,
        translations=files.translations,
        python=description.python,
        oracle=description.oracle,
        mutants_ignored=description.mutants_ignored,
        tiers=description.tiers,
        fix=description.fix,
        requirements=description.requirements,
        under_test=_under_test(description, files),
        score=description.score,
        gpus=description.gpus,
        ranks=description.ranks,
        checker_rules=parse_rules(files.checker or ""),
    )
    return dataclasses.replace(problem, starters=_starters(problem))


def _given(description: Description, files: PackageFiles) -> Mapping[Language, str]:
    """Return the given programs by language, of a problem in which they must be corrected."""
    declared = description.fix.given if description.fix else ()
    languages = ((file, Language.of_file(file)) for file in declared)
    return {language: files.solutions[file] for file, language in languages if language}


def _under_test(description: Description, files: PackageFiles) -> UnderTest | None:
    """Return the description's programs under test, with their sources."""
    if description.under_test is None:
        return None
    return dataclasses.replace(
        description.under_test, programs=programs_in_order(description.cases, files.programs)
    )


def _resolved(files: PackageFiles, description: Description, faults: Faults) -> PackageFiles:
    """Return the files with placeholders in texts replaced; see `problems.placeholders`."""
    editorial = files.editorial
    return dataclasses.replace(
        files,
        statement=resolve(files.statement, description, "statement.md", faults),
        editorial=editorial and resolve(editorial, description, "editorial.md", faults),
        hints=tuple(
            resolve(text, description, path, faults)
            for path, text in zip(HINT_FILES, files.hints, strict=False)
        ),
        translations={
            locale: resolve(text, description, f"statement.{locale}.md", faults)
            for locale, text in files.translations.items()
        },
    )


def _starters(problem: Problem) -> Mapping[Language, str]:
    return {
        language: problem.starters.get(language) or starter(problem, language)
        for language in problem.languages
    }


def _version(description: Description, files: PackageFiles) -> str:
    """Return a SHA-256 over everything that can change a verdict: not texts, starters and solutions."""
    judged: list[object] = [
        _VERSION_SCHEME,
        [language.value for language in description.languages],
        [
            [
                argument.name,
                argument.role.value,
                argument.dtype.value,
                [formula.text for formula in argument.shape],
                argument.value.text if argument.value else None,
                [argument.tolerance.relative, argument.tolerance.absolute, argument.tolerance.nan]
                if argument.tolerance
                else None,
            ]
            for argument in description.arguments
        ],
        [
            [
                case.name,
                case.group.value,
                list(case.sizes.items()),
                [[name, list(values)] for name, values in case.inputs.items()],
            ]
            for case in description.cases
        ],
        [
            description.limits.compile_s,
            description.limits.case_s,
            description.limits.memory_mib,
            description.limits.source_kib,
        ],
        [description.bytes_moved.text, description.operations.text],
        files.reference,
    ]
    judged.extend(_optional(description, files))
    return hashlib.sha256(json.dumps(judged).encode()).hexdigest()


def _optional(description: Description, files: PackageFiles) -> Iterator[object]:
    """Return keys that only some packages have.

    Thus new keys do not change the versions of other packages.
    """
    if description.python is not None:
        yield description.python.described()
    if description.oracle is not OracleKind.ARRAYS:
        yield description.oracle.value
    if files.checker is not None:
        yield ["checker", files.checker]
    if description.beatable:
        yield ["beatable", *sorted(description.beatable)]
    if zeroed := [argument.name for argument in description.arguments if argument.zeroed]:
        yield ["zeroed", *zeroed]
    if stated := [[case.name, dict(case.scalars)] for case in description.cases if case.scalars]:
        yield ["scalars", *stated]
    if on_host := [[a.name, a.memory.value] for a in description.arguments if a.memory.on_host]:
        yield ["memory", *on_host]
    if drawn := [(a.name, a.values) for a in description.arguments if a.drawn and a.values]:
        yield ["drawn", *([n, v.least and v.least.text, v.most and v.most.text] for n, v in drawn)]
    if description.gpus > 1:
        placed = ([argument.name, argument.device] for argument in description.arguments if argument.device)
        yield ["several gpus", description.gpus, *placed]
    yield from _restrictions(description, files)


def _restrictions(description: Description, files: PackageFiles) -> Iterator[object]:
    """Return restrictions that only some packages have, in the order in which the keys were added."""
    if description.limits.gpus:
        yield ["gpus", *description.limits.gpus]
    if description.limits.libraries is not None:
        yield ["libraries", *description.limits.libraries]
    if description.limits.device_launches:
        yield ["device_launches"]
    if description.fix is not None:
        given = [files.solutions[file] for file in description.fix.given]
        tokens = [] if description.fix.tokens is None else [description.fix.tokens]
        yield ["fix", description.fix.changes, list(description.fix.protected), given, *tokens]
    if description.requirements:
        bounds = ([r.counter, r.relation, r.bound, *r.cases] for r in description.requirements)
        yield ["requirements", *bounds]
    if (under_test := _under_test(description, files)) is not None:
        yield ["test", sorted(under_test.faulty), under_test.least_killed, *under_test.programs]
    if (rule := description.score) is not None:
        yield ["score", rule.better, rule.least, rule.most, *rule.cases]
    if description.ranks > 1:
        yield ["ranks", description.ranks]
