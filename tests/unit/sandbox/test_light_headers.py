import pytest

from sandbox import light_headers


@pytest.mark.parametrize(
    "source",
    [
        "#include <cstdint>\n#include <stdio.h>\n__global__ void k() {}",
        "int standard, std_error, mystd;",
    ],
)
def test_programs_that_never_mention_std_get_light_headers(source):
    assert light_headers.suffice(source.encode())


@pytest.mark.parametrize(
    "source",
    [
        "std::vector<int> x;",
        "using namespace std;",
        "namespace s = ::std;",
        "cuda::std::array<int, 3> a;",
        "s\\\ntd::vector<int> x;",
        "s\\ \r\ntd::vector<int> x;",
        "#include <tr1/cmath>",
    ],
)
def test_others_get_those_of_nvcc(source):
    assert not light_headers.suffice(source.encode())
