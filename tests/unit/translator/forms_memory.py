"""Loads, stores, atomics, copies, calls and control flow as forms with models.

Source: PTX ISA 9.0, sections 9.7.9, 9.7.12, 9.7.13.
"""

from . import model_float as exact
from .forms_integer import signed, wrap
from .harness import Form
from .model_float import BF16, F16, F32

_LOCAL = ".shared .align 16 .b8 s{n}[64]; .reg .b32 %s; mov.u32 %s, s{n};"


def _round_trip(store: str, load: str, kind: str) -> Form:
    text = f"{store} [%out+8], {{a}}; {load} {{d}}, [%out+8];"
    return Form(text, (kind,), (kind,), lambda a: a)


def _atomic(text: str, kind: str, count: int, new: object) -> Form:
    """Stores a, applies the operation with b (and c); results: the old value and the new one."""
    sources = ", ".join(f"{{{letter}}}" for letter in "bc"[: count - 1])
    register = {"f32": "f32", "f64": "f64"}.get(
        kind, f"b{64 if '64' in kind else 16 if kind in ('f16', 'bf16') else 32}"
    )
    return Form(
        f"st.global.{register} [%out+32], {{a}}; {text} {{d}}, [%out+32], {sources};"
        f" ld.global.{register} {{e}}, [%out+32];",
        (kind,) * count,
        (kind, kind, "b32"),
        lambda a, *rest: (a, new(a, *rest), None),  # type: ignore[operator]
    )


def _pick(kind: str, pick: object) -> object:
    bits = int(kind[1:])
    key = (lambda value: signed(value, bits)) if kind[0] == "s" else (lambda value: value)
    return lambda a, b: pick(a, b, key=key)  # type: ignore[operator]


_ATOMICS = [
    *(
        _atomic(f"atom.global.add.{kind}", kind, 2, lambda a, b, bits=bits: wrap(a + b, bits))
        for kind, bits in (("u32", 32), ("s32", 32), ("u64", 64))
    ),
    _atomic("atom.global.add.f32", "f32", 2, lambda a, b: exact.add(F32, a, b)),
    _atomic("atom.global.add.f64", "f64", 2, lambda a, b: exact.add(exact.F64, a, b)),
    _atomic("atom.global.add.noftz.f16", "f16", 2, lambda a, b: exact.add(F16, a, b)),
    _atomic("atom.global.add.noftz.bf16", "bf16", 2, lambda a, b: exact.add(BF16, a, b)),
    _atomic(
        "atom.global.add.noftz.f16x2",
        "f16x2",
        2,
        lambda a, b: exact.add(F16, a & 0xFFFF, b & 0xFFFF) | exact.add(F16, a >> 16, b >> 16) << 16,
    ),
    *(
        _atomic(f"atom.global.{name}.{kind}", kind, 2, _pick(kind, pick))
        for name, pick in (("min", min), ("max", max))
        for kind in ("u32", "s32", "u64", "s64")
    ),
    _atomic("atom.global.and.b32", "b32", 2, lambda a, b: a & b),
    _atomic("atom.global.or.b64", "b64", 2, lambda a, b: a | b),
    _atomic("atom.relaxed.sys.global.xor.b32", "b32", 2, lambda a, b: a ^ b),
    _atomic("atom.global.exch.b64", "b64", 2, lambda a, b: b),
    _atomic("atom.acq_rel.gpu.global.cas.b32", "b32", 3, lambda a, b, c: c if a == b else a),
    _atomic("atom.inc.u32", "u32", 2, lambda a, b: 0 if a >= b else a + 1),
    _atomic("atom.dec.u32", "u32", 2, lambda a, b: b if a == 0 or a > b else a - 1),
    Form(
        "st.global.b32 [%out+16], {a}; red.global.add.u32 [%out+16], {b};"
        " ld.global.b32 {e}, [%out+16]; mov.b32 {d}, 0;",
        ("u32", "u32"),
        ("b32", "b32"),
        lambda a, b: (0, wrap(a + b, 32)),
    ),
    Form(
        ".shared .align 4 .b32 counter; st.shared.b32 [counter], {a};"
        " atom.shared.add.u32 {d}, [counter], {b}; ld.shared.b32 {e}, [counter];",
        ("u32", "u32"),
        ("b32", "b32"),
        lambda a, b: (a, wrap(a + b, 32)),
    ),
]

_MEMORY = [
    *(
        _round_trip(f"st.global.{kind}", f"ld.global.{kind}", kind)
        for kind in ("b8", "b16", "b32", "b64", "f32", "f64")
    ),
    _round_trip("st.volatile.global.u32", "ld.volatile.global.u32", "u32"),
    _round_trip("st.release.gpu.global.u32", "ld.acquire.gpu.global.u32", "u32"),
    _round_trip("st.relaxed.sys.b64", "ld.relaxed.sys.b64", "u64"),
    _round_trip("st.u32", "ldu.global.u32", "u32"),
    Form(
        "st.global.b32 [%out+16], {a}; ld.global.nc.L1::no_allocate.s8 {d}, [%out+16]; mov.b32 {e}, 0;",
        ("b32",),
        ("s32", "b32"),
        lambda a: (wrap(signed(wrap(a, 8), 8), 32), 0),
    ),
    Form(
        "st.global.b32 [%out+16], {a}; ld.global.u8 {d}, [%out+19]; mov.b32 {e}, 0;",
        ("b32",),
        ("u32", "b32"),
        lambda a: (a >> 24, 0),
    ),
    Form(
        "st.global.v4.b32 [%out+16], {{{a}, {b}, {c}, {f}}}; ld.global.v2.b64 {{{d}, {e}}}, [%out+16];",
        ("b32",) * 4,
        ("b64", "b64"),
        lambda a, b, c, f: (None, f << 32 | c),
    ),
    Form(
        ".local .align 8 .b8 depot[32]; .reg .b64 %p; mov.u64 %p, depot;"
        " st.local.b32 [%p+4], {a}; ld.local.b64 {d}, [depot];"
        " cvta.local.u64 %p, %p; st.b32 [%p], {b}; ld.local.b64 {d}, [%p];",
        ("b32", "b32"),
        ("b64",),
        lambda a, b: a << 32 | b,
    ),
    Form(
        ".shared .align 8 .b8 pair[16]; .reg .b64 %p; cvta.shared.u64 %p, pair;"
        " st.volatile.b32 [%p+8], {a}; ld.volatile.shared.b32 {d}, [pair+8];",
        ("b32",),
        ("b32",),
        lambda a: a,
    ),
    Form(
        "membar.gl; fence.acq_rel.gpu; fence.proxy.async; mov.b32 {d}, {a};", ("b32",), ("b32",), lambda a: a
    ),
    Form(
        "add.u32 {d}, {a}, 1; @{b} bra $L_skip; add.u32 {d}, {d}, 1; $L_skip: add.u32 {d}, {d}, 2;",
        ("u32", "pred"),
        ("u32",),
        lambda a, b: wrap(a + (3 if b else 4), 32),
    ),
    Form(
        "mov.u32 {d}, 0; $L_loop: add.u32 {d}, {d}, 1; setp.lt.u32 {e}, {d}, 9; @{e} bra $L_loop;",
        (),
        ("u32", "pred"),
        lambda: (9, 0),
    ),
    Form(
        ".reg .b32 %i; and.b32 %i, {a}, 1; $L_table: .branchtargets $L_zero, $L_one; brx.idx %i, $L_table;"
        " $L_zero: mov.b32 {d}, 10; bra.uni $L_end; $L_one: mov.b32 {d}, 11;"
        " $L_end: nanosleep.u32 5; pmevent 1; setmaxnreg.inc.sync.aligned.u32 40; griddepcontrol.wait;",
        ("b32",),
        ("b32",),
        lambda a: 10 + a % 2,
    ),
    Form("mov.b32 {d}, 1; @{a} exit; mov.b32 {d}, 2;", ("pred",), ("b32",), lambda a: 0 if a else 2),
    Form(
        "{{ .reg .b32 %inner; mov.b32 %inner, {a}; {{ .reg .b32 %inner; mov.b32 %inner, 5;"
        " }} mov.b32 {d}, %inner; }}",
        ("b32",),
        ("b32",),
        lambda a: a,
    ),
    Form("bar.sync 0; barrier.sync 1, 32; mov.b32 {d}, {a};", ("b32",), ("b32",), lambda a: a),
]

_COPIES = [
    Form(
        ".shared .align 16 .b8 tile[16]; st.global.v2.b64 [%out+16], {{{a}, {b}}};"
        " cp.async.cg.shared.global [tile], [%out+16], 16;"
        " cp.async.commit_group; cp.async.wait_group 0; ld.shared.b64 {d}, [tile+8];"
        " ld.shared.b64 {e}, [tile];",
        ("b64", "b64"),
        ("b64", "b64"),
        lambda a, b: (b, a),
    ),
    Form(
        ".shared .align 16 .b8 tile[16]; .reg .b32 %kept; and.b32 %kept, {b}, 4;"
        " st.global.b64 [%out+16], {a};"
        " cp.async.ca.shared.global.L2::128B [tile], [%out+16], 8, %kept;"
        " ld.shared.b64 {d}, [tile]; mov.b32 {e}, 0;",
        ("b64", "b32"),
        ("b64", "b32"),
        lambda a, b: (wrap(a, 32) if b & 4 else 0, 0),
    ),
    Form(
        ".shared .align 8 .b64 gate; .reg .b64 %state; mbarrier.init.shared.b64 [gate], 2;"
        " mbarrier.arrive.shared.b64 %state, [gate]; mbarrier.test_wait.shared.b64 {d}, [gate], %state;"
        " mbarrier.test_wait.parity.shared.b64 {e}, [gate], 0; mbarrier.arrive.shared.b64 _, [gate];"
        " mbarrier.try_wait.shared.b64 {x}, [gate], %state;"
        " mbarrier.test_wait.parity.shared.b64 {y}, [gate], 0;"
        " mbarrier.pending_count.b64 {z}, %state; mbarrier.inval.shared.b64 [gate];",
        (),
        ("pred", "pred", "pred", "pred", "b32"),
        lambda: (0, 0, 1, 1, 2),
    ),
    Form(
        ".shared .align 8 .b64 gate; mbarrier.init.shared.b64 [gate], 1;"
        " mbarrier.arrive.expect_tx.shared.b64 _, [gate], 48;"
        " mbarrier.test_wait.parity.shared.b64 {d}, [gate], 0;"
        " mbarrier.complete_tx.relaxed.cta.shared.b64 [gate], 32;"
        " mbarrier.test_wait.parity.shared.b64 {e}, [gate], 0;"
        " mbarrier.expect_tx.relaxed.cta.shared.b64 [gate], 16;"
        " mbarrier.complete_tx.relaxed.cta.shared.b64 [gate], 32;"
        " mbarrier.test_wait.parity.shared.b64 {x}, [gate], 0;",
        (),
        ("pred", "pred", "pred"),
        lambda: (0, 0, 1),
    ),
]

FORMS: list[Form] = [*_MEMORY, *_ATOMICS, *_COPIES]
