"""Tests that the built front end matches its sources, and that every verdict has a badge."""

import re
import shutil
from pathlib import Path

import pytest
from django.test import Client

from problems.vocabulary import Verdict
from web.colours.source import PREFIX
from web.config import ROOT
from web.site import frontend_check
from web.site.frontend_check import DIST, SOURCES, differences
from web.site.verdicts import badge_of
from web.submissions.models import EventKind

WEB = ROOT / "web"
# Classes that end in a value, and those of libraries.
COMPOSED = (
    *("chart-heat-map", "difficulty-", "error-0", "error-1", "error-2", "error-3", "error-map-", "heat-"),
    *("stage-", "tone-", "cm-", "htmx-"),
)


@pytest.fixture
def copy(tmp_path: Path) -> tuple[Path, Path]:
    """The sources and the build, to be changed."""
    sources, dist = tmp_path / "sources", tmp_path / "dist"
    shutil.copytree(SOURCES, sources, ignore=shutil.ignore_patterns("node_modules"))
    shutil.copytree(DIST, dist)
    return sources, dist


def test_the_build_is_current() -> None:
    assert differences() == [], "run: cd web/frontend && npm ci && npm run build"


def test_an_edited_source_is_noticed(copy: tuple[Path, Path]) -> None:
    (copy[0] / "src" / "site.js").write_text("// edited")
    assert differences(*copy) == ["source src/site.js has changed since the build"]


def test_an_output_edited_by_hand_is_noticed(copy: tuple[Path, Path]) -> None:
    (copy[1] / "site.js").write_text("// edited")
    (copy[1] / "more.js").write_text("// new")
    (copy[1] / "styles.css").unlink()
    assert differences(*copy) == [
        "output more.js is new since the build",
        "output site.js has changed since the build",
        "output styles.css is gone since the build",
    ]


def test_the_command_says_what_to_do(
    copy: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(frontend_check, "differences", lambda: ["source x has changed since the build"])
    assert frontend_check.main() == 1
    assert "npm run build" in capsys.readouterr().out


def classes_of(styles: str) -> set[str]:
    rules = re.sub(r'/\*.*?\*/|url\([^)]*\)|"[^"\n]*"', "", styles, flags=re.DOTALL)
    selectors = re.findall(r"[^{};]+(?=\{)", rules)
    return {name for selector in selectors for name in re.findall(r"\.([A-Za-z_][\w-]*)", selector)}


def words_of_the_site() -> set[str]:
    """The words of all templates, scripts and modules, and the classes of highlighted text."""
    modules = [path for path in WEB.rglob("*.py") if "frontend" not in path.parts]
    users = (*SOURCES.glob("src/**/*.js"), *WEB.glob("templates/**/*.html"), *modules)
    languages = "".join((WEB / "colours" / name).read_text() for name in ("languages.py", "words.py"))
    looks = re.findall(r'(?<=")\w{1,3}(?=")|\b\w{1,3}(?==)', languages)
    words = {word for path in users for word in re.findall(r"[\w-]+", path.read_text())}
    return words | {f"{PREFIX}{look}" for look in looks}


def test_every_class_with_a_style_is_used() -> None:
    classes = classes_of("\n".join(path.read_text() for path in SOURCES.glob("src/**/*.css")))
    unused = classes - words_of_the_site()
    assert {name for name in unused if not name.startswith(COMPOSED)} == set(), "remove the rules"
    assert len(classes) > 500


@pytest.mark.parametrize("verdict", Verdict)
def test_every_verdict_has_a_word_a_tone_and_an_icon(verdict: Verdict) -> None:
    badge = badge_of(verdict.value)
    assert badge.word
    assert badge.meaning.endswith(".")
    assert f'id="{badge.icon}"' in (SOURCES / "src" / "icons" / "icons.svg").read_text()
    styles = (SOURCES / "src" / "styles" / "components.css").read_text()
    assert f".tone-{badge.tone} " in styles


@pytest.mark.parametrize("kind", EventKind)
def test_every_kind_of_event_has_words_for_those_who_watch(kind: EventKind) -> None:
    progress = (SOURCES / "src" / "lib" / "progress.js").read_text()
    stages = progress.partition("const STAGES = {")[2].partition("};")[0]
    assert f"  {kind.value}: " in stages


def test_no_asset_comes_from_elsewhere() -> None:
    for name in ("styles.css", "site.js"):
        found = re.findall(
            r"""(?:url\(|import\s*["'(]+)["']?(https?:)?//[^)"']+""", (DIST / name).read_text()
        )
        assert found == [], name


def test_no_template_has_inline_scripts_or_styles() -> None:
    templates = [path.read_text() for path in (DIST.parents[1] / "templates").rglob("*.html")]
    assert templates
    for text in templates:
        assert not re.search(r"""\s(style|on[a-z]+)=["']""", text)
        assert "<style" not in text
        assert not re.search(r"<script(?![^>]*\ssrc=)", text)


@pytest.mark.django_db
def test_hashed_assets_are_kept_by_browsers_and_others_are_not(client: Client) -> None:
    hashed = next((DIST / "chunks").glob("editor-*.js")).name
    assert "immutable" in client.get(f"/static/dist/chunks/{hashed}")["Cache-Control"]
    assert "immutable" not in client.get("/static/dist/site.js")["Cache-Control"]


def test_only_the_formatter_may_run_webassembly(client: Client) -> None:
    policy = client.get("/static/dist/formatter.js")["Content-Security-Policy"]
    assert policy == "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'"
    assert "Content-Security-Policy" not in client.get("/static/dist/site.js")
    assert "wasm" not in client.get("/healthz")["Content-Security-Policy"]


def test_formatters_are_sent_as_webassembly_and_compressed(client: Client) -> None:
    for module in (DIST / "assets").glob("*.wasm"):
        answer = client.get(f"/static/dist/assets/{module.name}", headers={"accept-encoding": "br"})
        assert answer["Content-Type"] == "application/wasm"
        assert answer["Content-Encoding"] == "br"
