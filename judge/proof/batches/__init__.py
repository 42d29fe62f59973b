"""Several programs judged as one, because most of what judging one costs is getting ready.

Theory of operation. A batch is one program that holds many, and an argument of `solve` more than the problem
has says which of them is called. So all are compiled at once, one sandbox runs them one after the other, and
a case is drawn once for all. Nothing else differs from judging a submission: the same target, sandbox,
referee, limits and orders of threads. A program is done with at its first case that is not accepted; when it
took the sandbox down, the next one gets a fresh sandbox and the same artifact.

Programs in one process can disturb each other, so a batch is only for programs that we made or that an
author sends with a problem, and it carries *controls*: programs that must be accepted. When one is not, or
when the batch does not compile, its programs are judged apart from each other.

    text    puts sources together, in CUDA C++ and for Triton
    trials  runs a batch on a target, and falls back
"""
