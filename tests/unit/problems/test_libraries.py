"""Programs may include what their problem allows, however they put it."""

import pytest

from problems.libraries import Library, library_of, refused_include

NONE: tuple[Library, ...] = ()


@pytest.mark.parametrize(
    "source",
    [
        "#include <cuda_runtime.h>\n#include <cstdint>\n#include <cuda_fp16.h>\n",
        "__global__ void k() {}\n",
        '#include "cuda_runtime.h"\n',
        "// imports and includes of all kinds, #pragma unroll\n#pragma unroll\n",
    ],
)
def test_what_every_program_may_include(source):
    assert refused_include(source, NONE) == ""


@pytest.mark.parametrize(
    "source",
    [
        "#include <cub/cub.cuh>",
        "  #  include  <cub/block/block_reduce.cuh>",
        "%:include <cub/cub.cuh>",
        "#/* a */include/* b\n */<cub/cub.cuh>",
        "/* a\n */ #include <cub/cub.cuh>",
        "#inc\\\nlude <cub/cub.cuh>",
        "#inc\\ \t\r\nlude <cub/cub.cuh>",
        "#include_next <cub/cub.cuh>",
        '#include "cub/cub.cuh"',
        "#include < cub/cub.cuh >",
        'const char* s = "/*";\n#include <cub/cub.cuh>\nconst char* t = "*/";',
    ],
)
def test_no_way_of_writing_it_hides_a_library(source):
    assert "cub" in refused_include(source, [Library.THRUST])
    assert refused_include(source, [Library.CUB]) == ""


@pytest.mark.parametrize(
    "source",
    [
        "#define H <cub/cub.cuh>\n#include H",
        "#include <../include/cub/cub.cuh>",
        "#include <./cub/cub.cuh>",
        "#include <cub//cub.cuh>",
        '#include "/usr/local/cuda/include/cub/cub.cuh"',
    ],
)
def test_what_cannot_be_told_is_refused(source):
    assert "no macros, no paths" in refused_include(source, [Library.CUB])


@pytest.mark.parametrize(
    ("header", "library"),
    [
        ("thrust/sort.h", Library.THRUST),
        ("cuda/std/atomic", Library.LIBCUDACXX),
        ("cooperative_groups.h", Library.COOPERATIVE_GROUPS),
        ("cooperative_groups/reduce.h", Library.COOPERATIVE_GROUPS),
        ("mma.h", Library.WMMA),
        ("cuda.h", None),
        ("vector", None),
    ],
)
def test_headers_and_their_libraries(header, library):
    assert library_of(header) is library
