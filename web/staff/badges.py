"""The words for kinds of jobs and for stuck jobs."""

from dataclasses import dataclass

from web.jobs.models import JobKind
from web.staff.queries import Stuck


@dataclass(frozen=True, slots=True)
class StuckWords:
    """The texts for jobs that are stuck in one way. `hint` says what helps."""

    label: str
    hint: str
    none: str


@dataclass(frozen=True, slots=True)
class KindWords:
    """The singular and plural of a kind of job, and the page that shows one.

    `page` is the name of a URL, and `page_values` the columns of `jobs.queries.Task` that fill it.
    """

    one: str
    many: str
    page: str
    page_values: tuple[str, ...] = ("key",)


KIND_WORDS = {
    JobKind.SUBMISSION: KindWords("Submission", "Submissions", "submission"),
    JobKind.PREVIEW: KindWords("Generator preview", "Generator previews", "author-reference", ("subject",)),
    JobKind.PROOF: KindWords("Proof", "Proofs", "author-proof-run", ("subject", "key")),
    JobKind.IMPORT: KindWords("Import", "Imports", "author-import-run"),
    JobKind.REJUDGE: KindWords("Dry-run rejudge", "Dry-run rejudges", "staff-rejudge"),
}
STUCK_WORDS = {
    Stuck.EXPIRED: StuckWords(
        "Worker lost",
        "The worker's lease has expired. Another worker retries the job while it has tries left. "
        "Requeue the job to reset its tries.",
        "No expired leases.",
    ),
    Stuck.GAVE_UP: StuckWords(
        "Given up",
        "The judge failed several times, and the verdict is “Internal error”. Search the log "
        "for judging_failed with the submission ID, fix the cause, then rejudge.",
        "No abandoned jobs.",
    ),
    Stuck.WAITING: StuckWords(
        "Waiting long",
        "Waiting for more than ten minutes. Check whether workers are running.",
        "No job has waited for more than ten minutes.",
    ),
    Stuck.NO_GPU: StuckWords(
        "GPU unavailable",
        "No node offers the requested GPU. Restore the GPU, or cancel the jobs with a reason.",
        "All requested GPUs are available.",
    ),
}
