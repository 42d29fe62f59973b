"""The names of shared arrays, from their symbols."""

import pytest

from sandbox.cpu.translator.shared_names import source_name


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("_ZZ9transposePKfPfiiE4tile", "tile"),
        ("_ZZ6attendILi4EEvPK6__halfE2qs", "qs"),
        ("_ZZN12_GLOBAL__N_14copyEPfE5tile2_0", "tile2"),
        ("_ZL5parts", "parts"),
        ("own", "own"),
        ("_Z9", "_Z9"),
    ],
)
def test_a_mangled_symbol_has_the_name_of_the_source(symbol: str, name: str) -> None:
    assert source_name(symbol) == name
