"""A new run of a program: it gets a runner and is loaded."""

from judge.built import Built
from judge.compiler import load_findings
from judge.evidence.diagnostics import first_error
from judge.judgement import Judgement, RunOutcome
from judge.target import Referee
from problems.vocabulary import Stage, Step


def start_again(judgement: Judgement) -> Referee:
    """Start a new run that has the GPU alone, after another program disturbed the last one."""
    judgement.attempts += 1
    judgement.tell(
        Step.DISTURBED, "The GPU failed while several programs ran on it. This program runs again, alone."
    )
    return judgement.new_run(alone=True)


def load(judgement: Judgement, built: Built, referee: Referee, starting: Stage) -> RunOutcome | None:
    """Load the program. Return the outcome if it cannot be loaded, else None.

    The wait for the runner counts to the stage `starting`.
    """
    with judgement.stage(starting):
        referee.ready()
    with judgement.stage(Stage.LOAD):
        failed = referee.load(*built.contents)
    if not failed:
        return None
    verdict, message = failed
    found = load_findings(referee.diagnostics, judgement.source)
    error = first_error(found)
    return RunOutcome(verdict, error.text if error else message, diagnostics=found)
