"""Tests forms that no GPU has: they are refused by name when reached, and never give invalid C++."""

import random
import re
from pathlib import Path

import pytest

from sandbox.cpu.translator import translate
from sandbox.cpu.translator.ptx_types import TYPES
from sandbox.cpu.translator.tables import ENTRIES

from .test_emission import compiles, kernel

_SOME = """
sync aligned sat rn rz lo hi wide cc ftz approx full lt eq and or xor popc global shared local param
cas exch add min max inc v2 v4 volatile relaxed gpu up down bfly idx ballot any all uni x1 x2 x4
trans m8n8 m16n8k16 m8n8k4 m16n16k16 m9999n9999k9999 row col load store mma a b c d l r clamp wrap
b4e relu noftz 1d 2d 3d to bulk async
"""
_WORDS = re.findall(r"\S+", _SOME)
_F4, _R4 = "{%f1,%f2,%f3,%f4}", "{%r1,%r2,%r3,%r4}"
_OPERANDS = (
    *(
        "%p1",
        "%h1",
        "%r1",
        "%rd1",
        "%f1",
        "%fd1",
        "7",
        "0f3F800000",
        "[%rd1]",
        "[%rd1+4]",
        "[%r1]",
        "{%r1, %r2}",
    ),
    *(
        "{%r1, %r2, %r3, %r4}",
        "{%f1, %f2}",
        "{%h1, %h2}",
        "%r1|%p1",
        "%tid.x",
        "_",
        "!%p1",
        "-%r1",
        "[tile]",
        "tile",
    ),
    *("[%rd1, {%f1, %f2}]", "{%r1}", "%nosuch", "(tile)"),
)
_REGISTERS = {16: "%h1", 32: "%r1", 64: "%rd1"}
_COUNT = 1500


def _form(chance: random.Random) -> str:
    """An instruction that the tables may take for one of theirs."""
    entry = chance.choice(ENTRIES)
    own = re.findall(r"\.([a-z0-9_:]+)", entry.syntax) or [""]
    words = chance.sample(sorted(entry.needs), min(1, len(entry.needs)))
    words += [chance.choice(own) for _ in range(chance.randint(0, 3))]
    words += chance.sample(_WORDS, chance.randint(0, 2))
    words += chance.choices(list(TYPES), k=chance.choice((0, 1, 1, 2, 4)))
    if entry.types:
        words.append(chance.choice(sorted(entry.types)))
    operands = chance.choices(_OPERANDS, k=chance.randint(0, 5))
    if words and words[-1] in TYPES and chance.random() < 0.6:
        kind = TYPES[words[-1]]
        own_register = {"f32": "%f1", "f64": "%fd1"}.get(kind.name, _REGISTERS.get(kind.bits, "%r1"))
        operands = [own_register] * len(operands)
    return f"{'.'.join([entry.name, *filter(None, words)])} {', '.join(operands)};"


def test_no_form_that_the_tables_take_is_refused_by_the_compiler(tmp_path: Path) -> None:
    chance = random.Random(20260101)
    forms = [_form(chance) for _ in range(_COUNT)]
    cpp = translate(kernel("\n".join(f"{{ {form} }}" for form in forms)))
    assert cpp.count("wc_unsupported") < _COUNT  # some are taken
    compiles(cpp, tmp_path)


@pytest.mark.parametrize(
    "form",
    [
        f"mma.sync.aligned.m16n8k9.row.col.f32.f16.f16.f32 {_F4}, {{%r1,%r2}}, {{%r3}}, {_F4};",
        f"mma.sync.aligned.m9999n9999k9999.row.col.f32.f16.f16.f32 {_F4}, {{%r1}}, {{%r2}}, {_F4};",
        f"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {{%f1,%f2,%f3}}, {{%r1,%r2}}, {{%r3}}, {_F4};",
        f"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {_F4}, {{%r1}}, {{%r3}}, {_F4};",
        f"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {_F4}, {_R4}, {{%r3}}, {_F4};",
        f"mma.sync.aligned.m16n8k8.row.col.f32.f16.bf16.f32 {_F4}, {{%r1,%r2}}, {{%r3}}, {_F4};",
        "mma.sync.aligned.m16n8k8.row.col.f64.f32.f32.f64 {%fd1,%fd2}, {%f1}, {%f3}, {%fd1,%fd2};",
        "wmma.mma.sync.aligned.row.col.m16n16k17.f32.f32 {%f1}, {%r1}, {%r2}, {%f1};",
        "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%rd1], {%f1, %f2}, %r1;",
        "wmma.load.e.sync.aligned.row.m16n16k16.global.f16 {%r1}, [%rd1], %r1;",
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2}, [tile];",
        "add.bogus.s32 %r1, %r2, %r3;",
        "cvt.rn.satfinite.e2m1x2.f32 %h1, %f1, %f2;",
        "slct.ftz.b16.s16 %h1, %h2, %h3, %h4;",
        "bfind.u16 %r1, %h1;",
        "mov.f32 {%h1, %h2}, %f1;",
    ],
)
def test_an_odd_form_is_refused_by_name_and_line(form: str) -> None:
    cpp = translate(kernel(f".loc 1 7 0\n{form}") + '.file 1 "a/solution.cu"\n')
    assert f'wc_unsupported(T, "{form.split(" ", 1)[0]}", 1);' in cpp
    assert "// line 7\nwc_unsupported" in cpp
