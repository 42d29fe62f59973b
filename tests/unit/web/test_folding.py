"""The section *What bounds it* of a statement is folded, in translations too."""

import pytest

from problems.loader import load_all, problems_root
from tests.conftest import new_problem
from web.catalog.folding import folded
from web.catalog.markdown import render

TEXT = (
    "Add.\n\n## Example\n\n1\n## What bounds it\n\nThe **memory**.\n\n### More\n\nLoads.\n\n## After\n\nEnd."
)
GERMAN = "Addiere.\n\n## Beispiel\n\n1\n\n## Was es begrenzt\n\nDer Speicher.\n\n## Danach\n\nEnde.\n"


def fold(text: str, original: str = "") -> str:
    return folded(render(text, anchors="s-"), render(original or text, anchors="s-"))


def test_it_is_folded_up_to_the_next_section() -> None:
    html = fold(TEXT)
    inside = html.partition('<details class="fold">')[2].partition("</details>")[0]
    assert inside.startswith('<summary><h2 id="s-what-bounds-it">What bounds it</h2></summary>')
    assert "<strong>memory</strong>" in inside
    assert "Loads." in inside
    assert "End." not in inside
    assert html.count("<details") == html.count("</details>") == 1
    assert "1" in html.partition("<details")[0]


def test_a_translation_folds_the_section_at_the_same_place() -> None:
    inside = fold(GERMAN, TEXT).partition("<details")[2].partition("</details>")[0]
    assert "Was es begrenzt" in inside
    assert "Der Speicher." in inside
    assert "Ende." not in inside


@pytest.mark.parametrize(
    ("text", "original"),
    [
        ("## Example\n\n1\n", ""),
        ("No sections.", TEXT),
        ("## What bounds it\n\n> a\n>\n> ## Next\n>\n> b\n", ""),
        (":::spoiler\n## What bounds it\n\na\n:::\n\n## Next\n\nb\n", ""),
        ("What bounds it\n", ""),
    ],
)
def test_other_texts_stay_as_they_are(text: str, original: str) -> None:
    assert fold(text, original) == render(text, anchors="s-")


def test_all_shipped_statements_have_it() -> None:
    for problem in load_all(problems_root()):
        assert fold(problem.statement).count('<details class="fold">') == 1


@pytest.mark.django_db
def test_the_page_shows_it_folded(client) -> None:
    new_problem("vector-add", statement=TEXT, translations={"de": GERMAN})
    assert '<details class="fold"><summary><h2' in client.get("/problems/vector-add").content.decode()
    german = client.get("/problems/vector-add?text=de").content.decode()
    assert '<details class="fold"><summary><h2 id="s-was-es-begrenzt">' in german
