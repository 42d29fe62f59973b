"""Tests that an instructor can import a set in another format, and sees the result for each problem."""

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
from playwright.sync_api import FilePayload, Page, expect

from tests.e2e.author import make_instructor, sign_up_instructor
from tests.e2e.conftest import Site, sign_up
from tests.e2e.soundness import check, check_here, serious_violations
from web.config import ROOT

LABEL = "LeetGPU challenges"


@pytest.fixture
def held(site: Site) -> Iterator[Path]:
    """The file that holds an import at a problem whose reference asks for it."""
    file = site.data_dir / "run" / "hold-importing"
    file.parent.mkdir(exist_ok=True)
    file.touch()
    yield file
    file.unlink(missing_ok=True)


def problem_set(*names: str, hold: str = "") -> FilePayload:
    """A set of copies of one package. The import is held at `hold`, and refuses the last one."""
    archive = BytesIO()
    package = ROOT / "problems" / "vector-add"
    with ZipFile(archive, "w") as file:
        for name in names:
            for path in sorted(package.rglob("*")):
                text = path.read_bytes() if path.is_file() else b""
                if path.name == "reference.py" and name == hold:
                    text += b"\n# hold=importing \n"
                if text:
                    file.writestr(f"set/{name}/{path.relative_to(package)}", text)
        file.writestr(f"set/{names[-1]}/refuse", "")
    return {"name": "set.zip", "mimeType": "application/zip", "buffer": archive.getvalue()}


def upload(page: Page, site: Site, file: FilePayload) -> None:
    page.goto(f"{site.url}/author/import")
    form = page.get_by_role("region", name="Problem set in another format").locator("form").first
    form.get_by_label("Format").select_option(label=LABEL)
    form.get_by_label("ZIP file").set_input_files(file)
    form.get_by_role("button", name="Import set").click()


def test_a_set_is_imported_problem_by_problem(site: Site, page: Page, held: Path) -> None:
    sign_up_instructor(page, site, "importer")
    upload(page, site, problem_set("added-one", "added-two", "added-three", hold="added-two"))

    expect(page.get_by_role("heading", name=LABEL, level=1)).to_be_visible()
    expect(page.locator("#import-run .notice")).to_contain_text("of 3", timeout=30_000)
    check_here(page, "an import that runs")

    held.unlink()
    rows = page.get_by_role("region", name="Problems").get_by_role("row")
    expect(rows).to_have_count(4, timeout=30_000)
    expect(page.locator(".import-counts")).to_contain_text("2 imported")
    expect(rows.filter(has_text="added-three")).to_contain_text("the folder asked for it")
    check(page, page.url)

    page.get_by_role("link", name="added-one").click()
    expect(page.locator(".workspace-line")).to_contain_text("Draft")
    page.goto(f"{site.url}/author/import")
    expect(page.get_by_role("region", name="Your imports").get_by_role("row")).to_have_count(2)


def test_an_import_is_cancelled(site: Site, page: Page, held: Path) -> None:
    sign_up_instructor(page, site, "canceller")
    upload(page, site, problem_set("kept-one", "lost-two", hold="lost-two"))
    expect(page.get_by_role("region", name="Problems")).to_contain_text("kept-one", timeout=30_000)
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("The import was cancelled after the problems")).to_be_visible(timeout=30_000)
    expect(page.get_by_role("region", name="Problems")).to_contain_text("kept-one")
    check(page, page.url)


def test_a_file_that_is_no_archive_is_refused(site: Site, page: Page) -> None:
    sign_up_instructor(page, site, "mistaken")
    upload(page, site, {"name": "set.zip", "mimeType": "application/zip", "buffer": b"not an archive"})
    expect(page.get_by_role("alert").first).to_contain_text("ZIP")
    assert serious_violations(page) == []


def test_the_page_is_sound_in_every_look(site: Site, visitor: Page) -> None:
    name = f"looking-{visitor.evaluate('innerWidth')}"
    sign_up(visitor, site, name)
    make_instructor(site, name)
    check(visitor, f"{site.url}/author/import")
