"""The next steps after an accepted submission: the next problem of a track, or a similar problem.

A contest does not affect the next steps. It only decides which submissions are judged first. The page of the
track lists the problems of the contest, and an editorial opens for every user who has solved the problem.
"""

from dataclasses import dataclass

from problems.vocabulary import Mode, Verdict
from web.catalog.models import Problem
from web.catalog.queries import similar_problem
from web.submissions.models import Submission
from web.submissions.queries import Viewer, verdict_of
from web.tracks.queries import Stop, VisibleTrack, paths_through


@dataclass(frozen=True, slots=True)
class TrackStep:
    """A track with the problem. `following` is None if the viewer has solved the whole track.

    `repeats` says that an earlier track leads to the same problem.
    """

    path: VisibleTrack
    following: Stop | None
    repeats: bool = False


@dataclass(frozen=True, slots=True)
class NextSteps:
    """The next problems. `similar` is for a problem whose tracks lead no further, None if there is none.

    `reason` says what `similar` has in common with the problem.
    """

    tracks: tuple[TrackStep, ...]
    similar: Problem | None
    reason: str

    @property
    def leads_on(self) -> bool:
        """Return whether there is a next problem."""
        return self.similar is not None or any(step.following for step in self.tracks)


def next_steps(viewer: Viewer, submission: Submission) -> NextSteps | None:
    """Return the next steps after `submission`; None unless it is the viewer's own and solves the problem."""
    accepted = submission.mode == Mode.SUBMIT and verdict_of(submission) == Verdict.ACCEPTED
    if submission.user_id != viewer.pk or not accepted:
        return None
    problem = submission.problem
    tracks = _track_steps(viewer, problem)
    if any(step.following for step in tracks):
        return NextSteps(tracks, None, "")
    similar = similar_problem(viewer, problem)
    return NextSteps(tracks, similar, _reason(problem, similar) if similar else "")


def _track_steps(viewer: Viewer, problem: Problem) -> tuple[TrackStep, ...]:
    steps: list[TrackStep] = []
    for path in paths_through(viewer, problem):
        following = path.after(problem.slug)
        repeats = following is not None and any(
            step.following is not None and step.following.slug == following.slug for step in steps
        )
        steps.append(TrackStep(path, following, repeats))
    return tuple(steps)


def _reason(problem: Problem, similar: Problem) -> str:
    shared = next((tag for tag in problem.tags if tag in similar.tags), None)
    return f"also about {shared}" if shared else f"also {similar.difficulty}"
