"""Which libraries a compile sandbox has, and how programs are linked with them."""

from pathlib import Path

import pytest

from sandbox.gpu.compile import recipe
from sandbox.gpu.compile.recipe import LIBRARIES, GpuCompileRecipe


@pytest.fixture
def toolkit(tmp_path: Path) -> Path:
    for folder in ("include", "lib/stubs"):
        (tmp_path / folder).mkdir(parents=True)
    return tmp_path


def add(toolkit: Path, name: str, *, header: bool = True, library: str = "lib") -> None:
    if header:
        (toolkit / "include" / LIBRARIES[name]).touch()
    (toolkit / library / f"lib{name}.so").touch()


def found(toolkit: Path) -> dict[str, list[str]]:
    link = ["g++", f"-L{toolkit}/bin/../lib/stubs", f"-L{toolkit}/bin/../lib", "-lcudart_static"]
    return recipe._libraries(["gcc", "-Ilight", f"-I{toolkit}/bin/../include", "-E"], link)


def with_libraries(libraries: dict[str, list[str]]) -> GpuCompileRecipe:
    return GpuCompileRecipe({}, {}, [], [], [], ["g++", "host.o"], [], [], {}, "/cuda", libraries)


def test_a_library_needs_a_header_and_something_to_link(toolkit: Path) -> None:
    assert found(toolkit) == {}
    add(toolkit, "cublas", header=False)
    add(toolkit, "cufft", library="lib/stubs")
    assert found(toolkit) == {}
    add(toolkit, "cublas")
    words = ["-Wl,--disable-new-dtags", f"-Wl,-rpath,{toolkit.resolve()}/lib", "-lcublas"]
    assert found(toolkit) == {"cublas": words}


def test_a_program_is_linked_with_what_it_uses(toolkit: Path) -> None:
    for name in LIBRARIES:
        add(toolkit, name)
    known = with_libraries(found(toolkit))
    assert known.linking(()) == known
    assert known.linking(["cufft"]).link[2:] == known.libraries["cufft"]
    both = known.linking(["cublas", "cufft"]).link[2:]
    assert (both.count("-Wl,--disable-new-dtags"), both[-2:]) == (1, ["-lcublas", "-lcufft"])
    assert GpuCompileRecipe.from_json(known.to_json()) == known
