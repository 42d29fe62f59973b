"""Tests that the check of prose finds its phrases in texts for readers, and nowhere else."""

from pathlib import Path

import pytest

from deploy import prose

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize(
    "text",
    [
        "Load the page anew.",
        "The editor is beside the statement.",
        "You handed it in yesterday.",
        "Hand in the program.",
        "x is no TOML file.",
        "Somebody saved the file.",
        "Nobody is banned.",
        "Ask whoever runs this site.",
        "Who finds no sandbox waits for one.",
        "What is left out is as usual.",
        "Saved. What you wrote stays.",
        "From a first kernel to the ones that hold a network up.",
        "None so far.",
        "It goes on by itself.",
        "The submission was judged again.",
        "Show the present version.",
        "There is no such file.",
    ],
)
def test_a_foreign_phrase_is_found(text: str) -> None:
    assert list(prose.breaches(text))


@pytest.mark.parametrize(
    "text",
    [
        "Reload the page.",
        "Next to the editor, handed to a worker in the queue.",
        "There is no network, and a test is no longer needed.",
        "What's new",
        "What is a race?",
        "Who can see this submission? You can.",
        "Written by hand in an editor.",
        "beside",
    ],
)
def test_plain_english_passes(text: str) -> None:
    assert not list(prose.breaches(text))


def test_of_a_template_texts_and_spoken_attributes_are_read() -> None:
    source = (
        '{% load staff %}\n<p class="anew" data-beside="beside it">Hello {{ user }},\n<b>again</b></p>\n'
        '<a href="/anew" aria-label="Go on">{{ name|default:"a user" }}</a>{# nobody #}'
    )
    assert {(passage.line, passage.text) for passage in prose.of_template(source)} == {
        (2, "Hello X,\nagain"),
        (4, "Go on"),
        (4, "a user"),
        (4, "X"),
    }


def test_of_a_module_docstrings_are_not_read() -> None:
    source = (
        '"""Said anew."""\n\n\ndef f(x):\n    """Beside."""\n    return "one" if x else f"two {x} three"\n'
    )
    assert {(passage.line, passage.text) for passage in prose.of_python(source)} == {
        (6, "one"),
        (6, "two X three"),
    }


def test_of_a_script_comments_are_not_read() -> None:
    source = "// Said \"anew\".\nconst text = `Case ${n}`;\n/** 'beside' */\n"
    assert [(passage.line, passage.text) for passage in prose.of_script(source)] == [(2, "Case ${n}")]


def test_of_a_command_the_docstring_is_read() -> None:
    source = '@app.command()\ndef f():\n    """Show it."""\n\n\n@cache\ndef g():\n    """Beside."""\n'
    assert [(passage.line, passage.text) for passage in prose.of_python(source)] == [(3, "Show it.")]


def test_of_a_shell_script_comments_and_output_are_read() -> None:
    source = (
        '#!/bin/sh\n# Starts it.\nset -e # at once\necho "Started $1"\n'
        "cat <<'END'\nSome\nhelp\nEND\nmake: ## Build\n"
    )
    assert {(passage.line, passage.text) for passage in prose.of_shell(source)} == {
        (2, "Starts it."),
        (3, "at once"),
        (4, "Started $1"),
        (5, "END"),
        (6, "Some\nhelp"),
        (9, "Build"),
    }


def test_of_markdown_code_is_not_read() -> None:
    source = "# Title\n\nRun `beside` now.\nAnd then.\n\n```\nanew\n```\n\n- an item\n- another\n"
    assert [passage.text for passage in prose.of_markdown(source)] == [
        "Title",
        "Run X now.\nAnd then.",
        "X",
        "an item",
        "another",
    ]


def test_of_a_toml_file_strings_are_read() -> None:
    source = '# "anew"\nname = "A \\"guard\\""\nforms = ["one", "two"]\ntext = """\nLong\ntext\n"""\n'
    assert [(passage.line, passage.text) for passage in prose.of_toml(source)] == [
        (2, 'A \\"guard\\"'),
        (3, "one"),
        (3, "two"),
        (4, "\nLong\ntext\n"),
    ]


def test_a_finding_names_the_line(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("<h1>Fine</h1>\n<p>Load it anew.</p>\n")
    (finding,) = prose.check([Path("page.html")], tmp_path)
    assert str(finding) == "page.html:2: “anew”: write “again”"


def test_every_template_is_checked_and_every_exception_exists() -> None:
    assert set(ROOT.glob("web/templates/**/*.html")) <= {ROOT / path for path in prose.checked_paths(ROOT)}
    assert all(list(ROOT.glob(name)) for name in prose.EXCEPTED)


def test_readings_concepts_and_terms_are_checked() -> None:
    checked = {str(path) for path in prose.checked_paths(ROOT)}
    assert {
        "web/learn/readings/vector-add.md",
        "web/learn/texts/scan.md",
        "web/catalog/terms.toml",
    } <= checked


def test_the_texts_of_this_repository_are_plain() -> None:
    assert prose.check(prose.checked_paths(ROOT), ROOT) == []
