"""The page about libraries in functional mode lists the calls that the headers declare."""

import re
from itertools import product
from pathlib import Path

ROOT = Path(__file__).parents[3]
HEADERS = ROOT / "sandbox" / "cpu" / "libraries" / "include"
PAGE = (ROOT / "docs" / "functional-mode-libraries.md").read_text(encoding="utf-8")
_DECLARED = re.compile(r"\b(?:cublasStatus_t|cufftResult|const char\*) (cu(?:blas|fft)[\w#]+)\(")
_LISTED = re.compile(r"`(cu(?:blas|fft)[\w{},]*)`")


def declared() -> set[str]:
    found = set()
    for header in HEADERS.glob("*.h"):
        text = header.read_text(encoding="utf-8")
        for name in _DECLARED.findall(text):
            if "#" not in name:
                found.add(name)
        for macro, body in re.findall(r"#define (\w+)\(P, T\)(.*?)\n(?=WARPCOURT)", text, re.DOTALL):
            types = re.findall(rf"^{macro}\((\w),", text, re.MULTILINE)
            found |= {name.replace("##P##", kind) for name, kind in product(_DECLARED.findall(body), types)}
    return found


def listed() -> set[str]:
    found = set()
    for name in _LISTED.findall(PAGE):
        start, _, rest = name.partition("{")
        types, _, end = rest.partition("}")
        found |= {f"{start}{kind}{end}" for kind in types.split(",")}
    return found


def test_the_page_lists_the_calls() -> None:
    assert listed() - {"cublas", "cufft"} == declared()


def test_a_wide_choice_is_declared() -> None:
    assert {"cublasSgemm", "cublasHgemmStridedBatched", "cublasDtrsm", "cufftExecR2C"} <= declared()
