"""Tests that documentation which names things in the code agrees with it."""

import re
from pathlib import Path

import pytest
import typer
from django.core.management import get_commands, load_command_class

from problems.vocabulary import Group, Mode, Stage, Step, Verdict
from sandbox.gpu.lease import Share
from tests.gpu.threats.table import ATTACKS, HONEST, STRIDED, WITHOUT_INPUTS
from web.cli.app import app
from web.submissions.models import EventKind, ListingKind

ROOT = Path(__file__).resolve().parents[2]
DOCS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


def read(name: str) -> str:
    return (ROOT / name).read_text()


def attacks() -> set[str]:
    source = read("tests/integration/threats/attacks.py")
    return set(re.findall(r'(?:cuda|triton)\(\s*"([a-z0-9-]+)"', source))


@pytest.mark.parametrize("verdict", Verdict)
def test_the_glossary_explains_every_verdict(verdict: Verdict) -> None:
    assert f"| `{verdict}` |" in read("docs/glossary.md")


@pytest.mark.parametrize("word", [*Group, *Mode])
def test_the_glossary_names_groups_and_modes(word: str) -> None:
    assert f"`{word}`" in read("docs/glossary.md")


@pytest.mark.parametrize("kind", EventKind)
def test_the_glossary_explains_every_step(kind: EventKind) -> None:
    steps = read("docs/glossary.md").partition("## Steps")[2].partition("\n## ")[0]
    assert re.search(rf"^\|.*`{kind.value}`.*\|.+\|$", steps, re.MULTILINE)


def test_the_glossary_explains_every_stage() -> None:
    known = read("docs/glossary.md").partition("## Stages")[2].partition("\n## ")[0]
    assert {*Stage} == set(re.findall(r"^\| `(\w+)` \|", known, re.MULTILINE))


@pytest.mark.parametrize("kind", [*ListingKind, *Share])
def test_the_glossary_names_listings_and_shares(kind: str) -> None:
    assert re.search(rf"[`*]{kind}[`*]", read("docs/glossary.md"))


def test_the_events_of_a_submission_are_steps_of_the_judge() -> None:
    assert {*EventKind} == {*Step} - {Step.CHECKING, Step.CHECKED}


@pytest.mark.parametrize("path", DOCS, ids=lambda path: str(path.relative_to(ROOT)))
def test_benchmarks_that_are_named_exist_with_their_options(path: Path) -> None:
    for name, options in re.findall(r"-m benchmarks\.(\w+)([^\n#`]*)", path.read_text()):
        source = ROOT / "benchmarks" / f"{name}.py"
        assert source.is_file(), name
        shared = read("benchmarks/judging.py") if "benchmarks.judging" in source.read_text() else ""
        for option in re.findall(r"--[a-z-]+", options):
            assert f'"{option}"' in source.read_text() + shared, f"{name} {option}"


def test_every_test_that_the_threat_model_names_exists() -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", read("docs/threat-model.md"))
    assert len(named) > 40
    for path, test in named:
        assert (ROOT / path).is_file(), path
        assert not test or f"def {test}(" in read(path), f"{path}::{test}"


def test_the_threat_model_and_the_hostile_programs_agree() -> None:
    rows = re.findall(r"programs: ([^|;]+)", read("docs/threat-model.md"))
    named = {name for row in rows for name in re.findall(r"`([a-z0-9-]+)`", row)}
    assert named <= attacks(), "named in the threat model, but there is no such program"
    assert attacks() - named == {"raises"}, "a program that no row of the threat model names"


def test_the_threat_model_and_the_attacks_on_a_gpu_agree() -> None:
    rows = re.findall(r"GPU programs: ([^|;]+)", read("docs/threat-model.md"))
    named = {name for row in rows for name in re.findall(r"`([a-z0-9-]+(?:[.]torch)?[.](?:cu|py))`", row)}
    listed = {attack.file for attack in ATTACKS} | {WITHOUT_INPUTS}
    assert named == listed
    there = {path.name for path in (ROOT / "tests/gpu/threats/attacks").iterdir() if path.is_file()}
    assert there == listed | {*HONEST.values(), STRIDED}


def anchors(path: Path) -> set[str]:
    """The anchors that GitHub gives the headings of a document."""
    found: dict[str, int] = {}
    text = re.sub(r"^```.*?^```", "", path.read_text(), flags=re.MULTILINE | re.DOTALL)
    for title in re.findall(r"^#+ +(.+?) *$", text, re.MULTILINE):
        anchor = re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")
        found[anchor] = found.get(anchor, -1) + 1
    return {f"{anchor}-{n}" if n else anchor for anchor, count in found.items() for n in range(count + 1)}


@pytest.mark.parametrize("path", DOCS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_and_their_anchors_exist(path: Path) -> None:
    text = re.sub(r"`[^`\n]+`", "", path.read_text())  # code shows how links are written
    for target, anchor in re.findall(r"\]\(([^)#]*)(?:#([^)]*))?\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        linked = path.parent / target if target else path
        assert linked.exists(), target
        if anchor:
            assert anchor in anchors(linked), f"{target}#{anchor}"


def test_every_picture_is_used() -> None:
    shown = {
        (path.parent / target).resolve()
        for path in DOCS
        for target in re.findall(r"(?:\]\(|srcset=\"|src=\")([^)\"#]+\.(?:png|gif))", path.read_text())
    }
    assert set((ROOT / "docs/images").iterdir()) == shown


@pytest.mark.parametrize("path", DOCS, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_that_are_named_exist(path: Path) -> None:
    for name in re.findall(
        r"`((?:docs|deploy|sandbox|judge|web|worker|benchmarks|tests|testing|problems)/[\w./-]+\w)`",
        path.read_text(),
    ):
        assert (ROOT / name).exists(), name


@pytest.mark.parametrize("command", ["judge", "prove"])
def test_the_readme_uses_options_that_commands_have(command: str) -> None:
    parser = load_command_class(get_commands()[command], command).create_parser("manage.py", command)
    known = {option for action in parser._actions for option in action.option_strings}
    for line in re.findall(rf"manage\.py {command} (.*)", read("README.md")):
        for option in re.findall(r"(--[a-z-]+)", line):
            assert option in known, option


def test_the_help_page_names_every_command_and_only_options_that_exist() -> None:
    page = read("web/templates/web/help.html").partition('id="command"')[2].partition('id="api"')[0]
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    for name in commands:
        assert re.search(rf"<code>(?:warpcourt )?{name}\b", page), name
    for name, text in re.findall(r"<dt><code>(\w+)[^<]*</code></dt><dd>(.*)</dd>", page):
        known = {option for parameter in commands[name].params for option in parameter.opts}
        assert set(re.findall(r"--[a-z-]+", text)) <= known, name


def test_every_variable_of_make_is_documented() -> None:
    used = set(re.findall(r"\$\((?:if \$\()?(?:filter 0,\$\()?([A-Z]+)", read("Makefile"))) - {
        "PY",
        "CURDIR",
    }  # ours, and make's own
    used |= set(re.findall(r"\$\{([A-Z]+):-\}", read("deploy/setup")))
    for name in used:
        assert f"`{name}=" in read("README.md") + read("CONTRIBUTING.md"), name
