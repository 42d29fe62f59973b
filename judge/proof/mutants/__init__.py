"""Mutants: accepted solutions with a deliberate small mistake, which good cases and tolerances detect.

Theory of operation. An operator implements one kind of mistake and finds the places in a source where this
mistake can be made. Each place gives a mutant, a source that differs only there. Some mutants of each
solution are selected, deterministically and spread over operators and places. All mutants of a language are
judged in one batch (`judge.proof.batches`), with their original solutions as controls. The *mutation score*
is the share of failing mutants among all that were tried.

Some mutants compute the same as the original, such as a launch with one block fewer of a kernel with a
grid-stride loop. If an operator can detect this, it makes no mutant. The author declares other equivalent
mutants, with the reason, in a `[[mutants_ignored]]` table, so that the score only counts real mistakes.

    mutant     what a mutant is, and the kinds of mistakes
    code       CUDA C++ as text in which code can be told from comments, and device code from host code
    cuda       the operators on CUDA C++, which work on that text
    triton     those on Triton programs, which work on the syntax tree
    selection  which mutants of a problem are tried
    score      what their trials say about the problem
"""
