"""Kernels for the matrix operations of a warp, with where each element lies.

Positions are written out from the tables in PTX ISA 9.0, section 9.7.14.5 (mma fragments), not from the code.
"""

from collections.abc import Callable
from dataclasses import dataclass

Position = tuple[int, int]
Place = Callable[[int, int], Position]  # (lane, element) → (row, column)


@dataclass(frozen=True)
class Product:
    """One mma shape: its opcode, its sizes, and the documented positions of A, B and C."""

    opcode: str
    rows: int
    columns: int
    depth: int
    factor: str  # the type of A and B
    total: str  # the type of C and D
    a: Place
    b: Place
    c: Place


def _c16(lane: int, i: int) -> Position:
    return lane // 4 + (0 if i < 2 else 8), lane % 4 * 2 + i % 2


PRODUCTS = (
    Product(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
        16,
        8,
        16,
        "f16",
        "f32",
        lambda lane, i: (
            lane // 4 + (0 if i < 2 or 4 <= i < 6 else 8),
            lane % 4 * 2 + i % 2 + (0 if i < 4 else 8),
        ),
        lambda lane, i: (lane % 4 * 2 + i % 2 + (0 if i < 2 else 8), lane // 4),
        _c16,
    ),
    Product(
        "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32",
        16,
        8,
        8,
        "bf16",
        "f32",
        lambda lane, i: (lane // 4 + (0 if i < 2 else 8), lane % 4 * 2 + i % 2),
        lambda lane, i: (lane % 4 * 2 + i, lane // 4),
        _c16,
    ),
    Product(
        "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16",
        16,
        8,
        16,
        "f16",
        "f16",
        lambda lane, i: (
            lane // 4 + (0 if i < 2 or 4 <= i < 6 else 8),
            lane % 4 * 2 + i % 2 + (0 if i < 4 else 8),
        ),
        lambda lane, i: (lane % 4 * 2 + i % 2 + (0 if i < 2 else 8), lane // 4),
        _c16,
    ),
    Product(
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32",
        16,
        8,
        8,
        "tf32",
        "f32",
        lambda lane, i: (lane // 4 + (0 if i in (0, 2) else 8), lane % 4 + (0 if i in (0, 1) else 4)),
        lambda lane, i: (lane % 4 + 4 * i, lane // 4),
        _c16,
    ),
    Product(
        "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32",
        16,
        8,
        32,
        "s8",
        "s32",
        lambda lane, i: (
            lane // 4 + (0 if i < 4 or 8 <= i < 12 else 8),
            lane % 4 * 4 + i % 4 + (0 if i < 8 else 16),
        ),
        lambda lane, i: (lane % 4 * 4 + i % 4 + (0 if i < 4 else 16), lane // 4),
        _c16,
    ),
    Product(
        "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64",
        8,
        8,
        4,
        "f64",
        "f64",
        lambda lane, i: (lane // 4, lane % 4),
        lambda lane, i: (lane % 4, lane // 4),
        lambda lane, i: (lane // 4, lane % 4 * 2 + i),
    ),
)

SIZES_BYTES = {"f16": 2, "bf16": 2, "tf32": 4, "f32": 4, "s8": 1, "s32": 4, "f64": 8}


def product_kernel(product: Product, index: int) -> str:
    """Loads A, B and C fragments one behind the other, multiplies, stores D."""
    word = "f64" if product.factor == "f64" else "b32"
    total_word = "f64" if product.total == "f64" else ("f32" if product.total == "f32" else "b32")
    word_bytes = 8 if product.factor == "f64" else 4
    total_bytes = 8 if product.total == "f64" else 4
    counts = (
        product.rows * product.depth * SIZES_BYTES[product.factor] // 32 // word_bytes,
        product.depth * product.columns * SIZES_BYTES[product.factor] // 32 // word_bytes,
        product.rows * product.columns * SIZES_BYTES[product.total] // 32 // total_bytes,
    )
    loads, offset = [], 0
    for letter, count, kind, size in zip(
        "abc", counts, (word, word, total_word), (word_bytes, word_bytes, total_bytes), strict=True
    ):
        for number in range(count):
            loads.append(f"ld.global.{kind} %{letter}{number}, [%in+{offset}];")
            offset += size
    vectors = [
        f"{{{', '.join(f'%{letter}{n}' for n in range(count))}}}"
        for letter, count in zip("dabc", (counts[2], *counts), strict=True)
    ]
    stores = [f"st.global.{total_word} [%out+{total_bytes * n}], %d{n};" for n in range(counts[2])]
    declared = [
        f".reg .{word} %a<{counts[0]}>; .reg .{word} %b<{counts[1]}>;",
        f".reg .{total_word} %c<{counts[2]}>, %d<{counts[2]}>;",
    ]
    return "\n".join(
        (
            f".visible .entry product{index}(.param .u64 inputs, .param .u64 outputs)",
            "{\n.reg .b64 %in, %out;",
            *declared,
            "ld.param.u64 %in, [inputs]; ld.param.u64 %out, [outputs];",
            *loads,
            f"{product.opcode} {', '.join(vectors)};",
            *stores,
            "ret;\n}",
        )
    )


_HEAD = """(.param .u64 inputs, .param .u64 outputs)
{
.reg .b64 %in, %out; .reg .b32 %r<32>, %row; .reg .f32 %f<16>;"""
_LOAD = "ld.param.u64 %in, [inputs]; ld.param.u64 %out, [outputs];"

ROW_KERNELS = f"""
.visible .entry load_rows{_HEAD}
.shared .align 16 .b8 tile[512];
{_LOAD}
mov.u32 %r8, %tid.x; mov.u32 %r9, tile; shl.b32 %r10, %r8, 4; add.s32 %row, %r9, %r10;
ld.global.v4.b32 {{%r0, %r1, %r2, %r3}}, [%in]; st.shared.v4.b32 [%row], {{%r0, %r1, %r2, %r3}};
bar.sync 0;
ldmatrix.sync.aligned.m8n8.x4.shared.b16 {{%r0, %r1, %r2, %r3}}, [%row];
ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {{%r4, %r5, %r6, %r7}}, [%row];
movmatrix.sync.aligned.m8n8.trans.b16 %r11, %r0;
st.global.v4.b32 [%out], {{%r0, %r1, %r2, %r3}};
st.global.v4.b32 [%out+16], {{%r4, %r5, %r6, %r7}};
st.global.b32 [%out+32], %r11;
ret; }}
.visible .entry store_rows{_HEAD}
.shared .align 16 .b8 tile[512];
{_LOAD}
mov.u32 %r8, %tid.x; mov.u32 %r9, tile; shl.b32 %r10, %r8, 4; add.s32 %row, %r9, %r10;
ld.global.v4.b32 {{%r0, %r1, %r2, %r3}}, [%in];
stmatrix.sync.aligned.m8n8.x4.shared.b16 [%row], {{%r0, %r1, %r2, %r3}};
bar.sync 0;
ldmatrix.sync.aligned.m8n8.x4.shared.b16 {{%r4, %r5, %r6, %r7}}, [%row];
st.global.v4.b32 [%out], {{%r4, %r5, %r6, %r7}};
ret; }}
.visible .entry wmma{_HEAD}
.reg .b64 %base; .reg .b64 %a, %b, %c, %d;
{_LOAD}
ld.global.b64 %a, [%in]; ld.global.b64 %b, [%in+8]; ld.global.b64 %d, [%in+16];
wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {{%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}}, [%a], 16;
wmma.load.b.sync.aligned.col.m16n16k16.global.f16 {{%r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15}}, [%b], 16;
mov.f32 %f0, 0f3F800000; mov.f32 %f1, %f0; mov.f32 %f2, %f0; mov.f32 %f3, %f0;
mov.f32 %f4, %f0; mov.f32 %f5, %f0; mov.f32 %f6, %f0; mov.f32 %f7, %f0;
wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {{%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}},
 {{%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}}, {{%r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15}},
 {{%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}};
wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%d], {{%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}}, 16;
ret; }}
"""
