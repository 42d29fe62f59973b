"""Tests the terms of GPU programming: every entry has working links, and texts link the first use of each."""

import re
from functools import partial

import pytest

from problems.loader import problems_root
from tests.growth import assert_linear
from web.catalog.markdown import render, render_once
from web.catalog.terms import Term, terms

LINK = re.compile(r'<a href="/learn/terms#([^"]+)" title="[^"]+" class="term"[^>]*>([^<]+)</a>')
STATEMENTS = sorted(path for path in problems_root().glob("*/statement.md"))


def links(text: str) -> list[tuple[str, str]]:
    """The entry and the word of every link to a term."""
    return LINK.findall(render(text, anchors="s-", terms=True))


def test_terms_are_in_order_and_no_form_has_two():
    names = [term.name.lower() for term in terms()]
    assert names == sorted(names)
    assert len({term.slug for term in terms()}) == len(names)
    forms = [form.lower() for term in terms() for form in term.forms]
    assert len(forms) == len(set(forms))


@pytest.mark.parametrize("term", terms(), ids=lambda term: term.slug)
@pytest.mark.django_db
def test_a_term_is_explained_in_a_few_sentences_and_leads_further(term: Term, client):
    assert 8 <= len(term.text.split()) <= 60
    page = client.get("/learn/terms").content.decode()
    assert f'id="{term.slug}"' in page
    if term.lesson:
        path, _, fragment = term.lesson.url.partition("#")
        answer = client.get(path)
        assert answer.status_code == 200
        assert not fragment or f'id="{fragment}"' in answer.content.decode()


def test_the_first_use_of_each_term_is_a_link():
    text = "Each warp reads a tile. Warps share the **shared memory** of a block. Registers are faster."
    assert links(text) == [
        ("warp", "warp"),
        ("tile", "tile"),
        ("shared-memory", "shared memory"),
        ("block", "block"),
        ("register", "Registers"),
    ]


def test_a_link_shows_the_first_sentence():
    assert 'title="A thread\'s position in its warp, from 0 to 31."' in render("A lane.", terms=True)


@pytest.mark.parametrize(
    "text",
    [
        "## One warp",
        "`warp`",
        "```\nwarp\n```",
        "[a warp](/learn/warp-shuffle)",
        "$warp$",
        "$$\nwarp\n$$",
        "warpage, time-warp, subwarp, warp-wide",
        "ptx and hbm",  # abbreviations are in capitals
        "![warp](warp.png)",
    ],
)
def test_headings_code_links_formulas_and_other_words_stay(text):
    assert links(text) == []


def test_texts_that_do_not_ask_for_links_have_none():
    assert "class=" not in render("A warp reads a tile.")


def test_an_author_cannot_give_a_link_a_class():
    html = render('<a class="term" href="/x">warp</a> [x](/x "class=term"){.term}')
    assert re.search(r'<a [^>]*class="', html) is None


@pytest.mark.parametrize("statement", STATEMENTS, ids=lambda path: path.parent.name)
def test_shipped_statements_keep_their_words(statement):
    text = statement.read_text()
    plain, linked = render(text, anchors="s-"), render(text, anchors="s-", terms=True)
    assert LINK.sub(r"\2", linked) == plain
    assert len({slug for slug, _ in LINK.findall(linked)}) == len(LINK.findall(linked))


@pytest.mark.parametrize("piece", ["warp ", "shared ", "shared memory bank ", "atomicAd", "warp-", "*warp* "])
def test_linking_takes_linear_time(piece):
    assert_linear(partial(render_once, terms=True), piece, length=20_000)
