"""Judges several programs as one, because preparation takes most of the time of judging a program.

Theory of operation. A batch is one program that contains several programs. An additional argument of `solve`
selects the program to call. So all programs are compiled at once, one sandbox runs them one after the other,
and each case is drawn once for all. Otherwise they are judged like submissions, with the same target,
sandbox, referee, limits and orders of threads. A program ends at its first case that is not accepted. If it
crashed the sandbox, the next program gets a new sandbox with the same artifact.

Programs in one process can disturb each other. So batches are only for generated programs and for programs
that an author adds to a problem. Each batch contains *controls*: programs that must be accepted. If a control
is not accepted, or if the batch does not compile, its programs are judged separately.

    text    puts sources together, in CUDA C++ and for Triton
    trials  runs a batch on a target, and falls back
"""
