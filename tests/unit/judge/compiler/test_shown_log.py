"""Tests what the author of a program reads in a compilation log: the program's file and CUDA's keywords."""

import pytest

from judge.compiler import shown_log

LENGTH = """
solution.cu(3): error: a variable length array cannot have static storage duration
      __attribute__((shared)) float tile[n];
                                    ^

1 error detected in the compilation of "binding.cu".
"""
BRACE = """
binding.cu(4): error: namespace definition is not allowed
  namespace warpcourt_binding {
  ^

binding.cu(70): warning #12-D: parsing restarts here after previous syntax error
  }
  ^

Remark: The warnings can be suppressed with "-diag-suppress <warning-number>"

At end of source: error: expected a "}"
solution.cu(5): note #3196-D: to match this "{"
  extern "C" void solve(const float* a, float* c, int n) { k<<<1, 1>>>(a, c, n);
                                                         ^

2 errors detected in the compilation of "binding.cu".
"""
DECLARATION = """
binding.cu(29): error: static assertion failed with "solve must take 1 argument: void solve(float* a)"
    static_assert(counts, "solve must take 1 argument: void solve(float* a)");
    ^
          detected during:
            instantiation of "bool warpcourt_binding::fits<Parameters...>() [with …]" at line 47

1 error detected in the compilation of "binding.cu".
"""
HEADER = """In file included from binding.cu:1:
solution.cu:1:10: fatal error: x.h: No such file or directory
    1 | #include "x.h"
      |          ^~~~~
compilation terminated.
"""


def test_keywords_are_those_of_cuda_and_carets_stay_under_their_words() -> None:
    assert (
        shown_log(LENGTH)
        == """
solution.cu(3): error: a variable length array cannot have static storage duration
      __shared__ float tile[n];
                       ^

1 error detected in the compilation of "solution.cu".
"""
    )


def test_errors_of_the_program_hide_those_that_follow_in_the_file_of_the_judge() -> None:
    assert (
        shown_log(BRACE)
        == """
Remark: The warnings can be suppressed with "-diag-suppress <warning-number>"

At end of source: error: expected a "}"
solution.cu(5): note #3196-D: to match this "{"
  extern "C" void solve(const float* a, float* c, int n) { k<<<1, 1>>>(a, c, n);
                                                         ^

"""
    )


def test_an_error_of_the_declaration_has_no_lines_of_the_file_of_the_judge() -> None:
    assert (
        shown_log(DECLARATION)
        == """
call of solve: error: static assertion failed with "solve must take 1 argument: void solve(float* a)"

1 error detected in the compilation of "solution.cu".
"""
    )


def test_includes_by_the_file_of_the_judge_are_left_out() -> None:
    assert shown_log(HEADER) == HEADER.partition("\n")[2]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("  __attribute__((launch_bounds(256, 2))) k();", "  __launch_bounds__(256, 2) k();"),
        ("__attribute__((aligned(16))) int x;", "__attribute__((aligned(16))) int x;"),
        ("ptxas binding.ptx, line 35; error   : bogus", "ptxas solution.ptx, line 35; error   : bogus"),
        ("  return binding.size;", "  return binding.size;"),
        ("tmpxft_1-6_binding.cudafe1.cpp:(.text+0x1): x", "tmpxft_1-6_solution.cudafe1.cpp:(.text+0x1): x"),
        ("", ""),
    ],
)
def test_other_lines(text: str, shown: str) -> None:
    assert shown_log(text) == shown
