"""Reads Kattis metadata of a Warpcourt package: title, keywords, limits, expected verdicts.

Kattis problems read and write text, so signatures, generators and cases cannot be derived from them. A folder
is imported if it has `problem.yaml` and `submissions/` in addition to Warpcourt's `problem.toml`,
`statement.md` and `reference.py`. Metadata with an equivalent is converted, and other metadata gives
warnings. Nothing is executed.
"""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from problems.importing.building import loaded
from problems.importing.names import slug_of
from problems.importing.plain_yaml import YamlInvalid, read_yaml
from problems.importing.report import Imported, ImportedProblem, Refused
from problems.parsing import parse
from problems.toml_bounds import toml_excess
from problems.vocabulary import Language, Verdict

FORMAT = "kattis"
_MAIN = "problem.yaml"
_OURS = ("problem.toml", "statement.md", "reference.py", "editorial.md", "checker.py")
_FOLDERS = ("starter", "solutions", "figures")
_REQUIRED = _OURS[:3]
_MOST_KIB = 256
_FOLDERS_OF_VERDICTS: Mapping[str, Verdict] = {
    "accepted": Verdict.ACCEPTED,
    "wrong_answer": Verdict.WRONG_ANSWER,
    "time_limit_exceeded": Verdict.TIME_LIMIT,
    "run_time_error": Verdict.RUNTIME_ERROR,
    "memory_limit_exceeded": Verdict.MEMORY_LIMIT,
    "output_limit_exceeded": Verdict.OUTPUT_LIMIT,
    "compile_error": Verdict.COMPILE_ERROR,
}
# Verdicts that a comment in a submission may give instead of its folder.
_WORDS: Mapping[str, Verdict] = {
    "CORRECT": Verdict.ACCEPTED,
    "ACCEPTED": Verdict.ACCEPTED,
    "WRONG-ANSWER": Verdict.WRONG_ANSWER,
    "WRONG_ANSWER": Verdict.WRONG_ANSWER,
    "TIMELIMIT": Verdict.TIME_LIMIT,
    "TIME_LIMIT_EXCEEDED": Verdict.TIME_LIMIT,
    "RUN-ERROR": Verdict.RUNTIME_ERROR,
    "RUN_TIME_ERROR": Verdict.RUNTIME_ERROR,
    "MEMORY-LIMIT": Verdict.MEMORY_LIMIT,
    "OUTPUT-LIMIT": Verdict.OUTPUT_LIMIT,
    "COMPILER-ERROR": Verdict.COMPILE_ERROR,
}
_EXPECTED = re.compile(r"@EXPECTED_RESULTS@:\s*([A-Z_, -]+)")


@dataclass(frozen=True, slots=True)
class _Submission:
    file: str
    content: bytes
    verdicts: tuple[Verdict, ...]
    note: str


def find(folder: Path) -> Iterator[Path]:
    """The folders of packages below `folder`, in order."""
    yield from (path.parent for path in sorted(folder.rglob(_MAIN)) if not path.is_symlink())


def read(folder: Path, *, within: Path) -> Imported:
    """Return the package in `folder`, with its Kattis metadata applied.

    Raises:
        Refused: it has no Warpcourt package next to the metadata, or the result is not valid.
    """
    place = str(folder.relative_to(within)) if folder != within else folder.name
    slug = slug_of(folder.name)
    missing = [name for name in _REQUIRED if not (folder / name).is_file()]
    if missing:
        raise Refused(
            f"{', '.join(missing)} is missing: Kattis problems have no signature, generator and "
            "reference for kernels; put files from a template next to problem.yaml"
        )
    warnings: list[str] = []
    files = dict(_own_files(folder))
    metadata = _metadata(_content(folder / _MAIN))
    submissions = list(_submissions(folder, warnings))
    try:
        description = files["problem.toml"].decode("utf-8")
        if excess := toml_excess(description):
            raise Refused(f"problem.toml {excess}")
        document = tomlkit.parse(description)
    except (TOMLKitError, ValueError) as error:
        raise Refused(f"problem.toml is not valid TOML: {error}") from error
    _take_over(document, metadata, warnings)
    _add_solutions(document, files, submissions, warnings)
    files["problem.toml"] = tomlkit.dumps(document).encode()
    problem = loaded(slug, files)
    return Imported(ImportedProblem.imported(place, slug, problem.title, tuple(warnings)), files)


def _own_files(folder: Path) -> Iterator[tuple[str, bytes]]:
    for name in _OURS:
        if (folder / name).is_file():
            yield name, _content(folder / name)
    for inner in _FOLDERS:
        if (folder / inner).is_symlink():
            raise Refused(f"{inner} is a link; replace it with the folder itself")
        for path in sorted((folder / inner).glob("*")):
            yield f"{inner}/{path.name}", _content(path)


def _content(path: Path) -> bytes:
    if path.is_symlink() or not path.is_file():
        raise Refused(f"{path.name} is not a regular file")
    content = path.read_bytes()[: _MOST_KIB * 1024 + 1]
    if len(content) > _MOST_KIB * 1024:
        raise Refused(f"{path.name} is larger than {_MOST_KIB} KiB")
    return content


def _metadata(content: bytes) -> Mapping[str, Any]:
    try:
        found = read_yaml(content)
    except YamlInvalid as error:
        raise Refused(f"{_MAIN} is not valid YAML: {error}") from error
    if not isinstance(found, dict):
        raise Refused(f"{_MAIN} holds no keys")
    return found


def _take_over(document: Any, metadata: Mapping[str, Any], warnings: list[str]) -> None:
    """Import title, tags and limits. Warns once about metadata that has no equivalent."""
    name = metadata.get("name")
    if isinstance(name, dict):
        name = name.get("en") or next(iter(name.values()), None)
    if isinstance(name, str) and name.strip():
        document["title"] = name.strip()[:80]
    words = metadata.get("keywords") or []
    words = words.split() if isinstance(words, str) else words if isinstance(words, list) else []
    tags = [re.sub(r"[^a-z0-9]+", " ", str(word).lower()).strip() for word in words]
    if tags := [tag for tag in dict.fromkeys(tags) if re.fullmatch(r"[a-z][a-z0-9 ]{0,29}", tag)]:
        document["tags"] = tags
    limits = metadata.get("limits") or {}
    ours = {
        "time_limit": "case_s",
        "memory": "memory_mib",
        "compilation_time": "compile_s",
        "code": "source_kib",
    }
    for theirs, key in ours.items():
        value = limits.get(theirs) if isinstance(limits, dict) else None
        if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
            document.setdefault("limits", tomlkit.table())[key] = value if key.endswith("_s") else int(value)
    known = {"name", "keywords", "limits", "problem_format_version", "uuid", "type"}
    if lost := [key for key in metadata if key not in known]:
        warnings.append(f"not imported from {_MAIN}: {', '.join(map(str, lost[:12]))}")


def _submissions(folder: Path, warnings: list[str]) -> Iterator[_Submission]:
    for path in sorted((folder / "submissions").glob("*/*")):
        verdict = _FOLDERS_OF_VERDICTS.get(path.parent.name)
        name = f"submissions/{path.parent.name}/{path.name}"
        if not path.is_file() or any(part.is_symlink() for part in (path, *path.parents[:2])):
            warnings.append(f"omitted {name}: a submission must be a single file")
            continue
        content = _content(path)
        said = _said(content, name, warnings)
        if verdict is None and not said:
            warnings.append(f"omitted {name}: {path.parent.name} is not a Warpcourt verdict")
            continue
        language = _language(path, content)
        if language is None:
            warnings.append(f"omitted {name}: it is neither CUDA C++ nor Triton nor PyTorch")
            continue
        verdicts = tuple(said) or (verdict or Verdict.WRONG_ANSWER,)
        if len(verdicts) > 1:
            warnings.append(f"{name} allows several verdicts; on a CPU it is expected to get {verdicts[0]}")
        words = re.findall(r"[a-z0-9]+", path.name.lower().partition(".")[0]) or ["submission"]
        stem = "-".join(words)
        stem = stem if stem[0].isalpha() else f"s-{stem}"
        yield _Submission(f"{stem[:40]}{language.suffix}", content, verdicts, f"From {name}.")


def _said(content: bytes, name: str, warnings: list[str]) -> list[Verdict]:
    match = _EXPECTED.search(content.decode("utf-8", "replace"))
    if match is None:
        return []
    words = [word.strip() for word in match.group(1).split(",")]
    if unknown := [word for word in words if word and word not in _WORDS]:
        warnings.append(f"{name} expects {', '.join(unknown)}, which is not a Warpcourt verdict")
    return list(dict.fromkeys(_WORDS[word] for word in words if word in _WORDS))


def _language(path: Path, content: bytes) -> Language | None:
    if path.suffix == ".cu":
        return Language.CUDA
    if path.suffix != ".py":
        return None
    try:
        tree = parse(content)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    modules = {
        name.partition(".")[0]
        for node in ast.walk(tree)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    if "triton" in modules:
        return Language.TRITON
    return Language.PYTHON if "torch" in modules else None


def _add_solutions(
    document: Any, files: dict[str, bytes], submissions: Sequence[_Submission], warnings: list[str]
) -> None:
    languages = [
        str(word) for word in document.get("languages", [Language.CUDA.value, Language.TRITON.value])
    ]
    tables = document.setdefault("solutions", tomlkit.aot())
    for submission in submissions:
        language = Language.of_file(submission.file)
        if language is None or language.value not in languages:
            warnings.append(f"omitted {submission.file}: the problem is not offered in {language}")
            continue
        file = _free(submission.file, language, files)
        files[f"solutions/{file}"] = submission.content
        table = tomlkit.table()
        table["file"] = file
        table["verdict"] = submission.verdicts[0].value
        if len(submission.verdicts) > 1:
            table["gpu_verdicts"] = [verdict.value for verdict in submission.verdicts]
        table["note"] = submission.note[:200]
        tables.append(table)


def _free(file: str, language: Language, files: Mapping[str, bytes]) -> str:
    stem = file.removesuffix(language.suffix)
    number = 1
    while f"solutions/{file}" in files:
        number += 1
        file = f"{stem}-{number}{language.suffix}"
    return file
