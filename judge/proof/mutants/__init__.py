"""Mutants: accepted solutions with a deliberate small mistake, which good cases and tolerances detect.

Theory of operation. An operator knows one kind of mistake and finds the places in a source where it can be
made; each place gives a mutant, a source that differs there alone. From each solution some are chosen, the
same ones whenever the source is the same, and spread over operators and places. All mutants of a language
are judged in one batch (`judge.proof.batches`), with the solutions that they were made of as controls. The
*mutation score* is the share of failing mutants among all that were tried.

Some mutants compute what the original does, as one block fewer under a loop that strides over any grid.
Where operators can see that, they make none. Others the author declares, with the reason, in a
`[[mutants_ignored]]` table; so the score says what it seems to say.

    mutant     what a mutant is, and the kinds of mistakes
    code       CUDA C++ as text in which code can be told from comments, and device code from host code
    cuda       the operators on CUDA C++, which work on that text
    triton     those on Triton programs, which work on the syntax tree
    selection  which mutants of a problem are tried
    score      what their trials say about the problem
"""
