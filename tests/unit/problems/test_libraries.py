"""Tests that programs may include only what their problem allows, in any spelling."""

import shutil

import pytest

from problems.faults import PackageInvalid
from problems.libraries import LINKED, Library, library_of, linked_libraries, refused_include
from problems.loader import load_problem, problems_root

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
        "#inc??/\nlude <cub/cub.cuh>",
        "#include <cccl/cub/cub.cuh>",
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
    assert "without macros and paths" in refused_include(source, [Library.CUB])


@pytest.mark.parametrize(
    ("header", "library"),
    [
        ("thrust/sort.h", Library.THRUST),
        ("cuda/std/atomic", Library.LIBCUDACXX),
        ("cooperative_groups.h", Library.COOPERATIVE_GROUPS),
        ("cooperative_groups/reduce.h", Library.COOPERATIVE_GROUPS),
        ("cccl/cuda/std/atomic", Library.LIBCUDACXX),
        ("mma.h", Library.WMMA),
        ("cuda.h", None),
        ("vector", None),
    ],
)
def test_headers_and_their_libraries(header, library):
    assert library_of(header) is library


def package(folder, limits: str):
    copied = folder / "vector-add"
    shutil.copytree(problems_root() / "vector-add", copied, dirs_exist_ok=True)
    text = (problems_root() / "vector-add/problem.toml").read_text(encoding="utf-8")
    description = text.replace("[limits]\n", f"[limits]\n{limits}\n", 1)
    (copied / "problem.toml").write_text(description, encoding="utf-8")
    return load_problem(copied)


def test_a_package_says_what_is_allowed_and_its_version_tells(tmp_path):
    usual = package(tmp_path, "")
    assert (usual.limits.gpus, usual.limits.libraries) == ((), None)
    versions = {usual.version}
    for limits in ('gpus = ["H200"]', "libraries = []", 'libraries = ["cub", "wmma"]'):
        versions.add(package(tmp_path, limits).version)
    assert len(versions) == 4
    assert package(tmp_path, "libraries = []").limits.libraries == ()


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        ('gpus = ["NVIDIA H200"]', "must be one word of a GPU model"),
        ("gpus = []", "must not be empty"),
        ('libraries = ["boost"]', "'boost' is unknown; use one of cub, thrust"),
    ],
)
def test_what_is_wrong_with_limits_is_said(tmp_path, limits, said):
    with pytest.raises(PackageInvalid, match=said):
        package(tmp_path, limits)


@pytest.mark.parametrize("header", ["cublas_v2.h", "cublasLt.h", "cufft.h"])
def test_libraries_that_are_linked_must_be_named(header):
    source = f"#include <{header}>"
    library = library_of(header)
    assert library in LINKED
    assert refused_include(source, None) == (
        f"{header} belongs to {library}, which this problem does not allow."
    )
    assert "it allows cub" in refused_include(source, [Library.CUB])
    assert refused_include(source, [library]) == ""


@pytest.mark.parametrize("header", ["cub/cub.cuh", "mma.h", "vector"])
def test_all_other_libraries_are_allowed_without_a_restriction(header):
    assert refused_include(f"#include <{header}>", None) == ""


def test_a_header_that_cannot_be_told_passes_without_a_restriction():
    hidden = "#define H <cublas_v2.h>\n#include H"
    assert refused_include(hidden, None) == ""
    assert linked_libraries(hidden, [Library.CUBLAS]) == ()


@pytest.mark.parametrize(
    ("source", "allowed", "linked"),
    [
        ("#include <cublas_v2.h>", None, ()),
        ("#include <cublas_v2.h>", [Library.CUB], ()),
        ("#include <cublas_v2.h>", [Library.CUBLAS], (Library.CUBLAS,)),
        ("int main();", [Library.CUBLAS], ()),
        ("#include <cufft.h>\n#include <cublas_v2.h>", [*Library], LINKED),
        ("#include <cufft.h>\n#include <cublas_v2.h>", [Library.CUFFT], (Library.CUFFT,)),
    ],
)
def test_what_is_linked_is_included_and_allowed(source, allowed, linked):
    assert linked_libraries(source, allowed) == linked
