"""The folder that a submission is judged by."""

from pathlib import Path

from web.packages import folders
from web.submissions.models import Submission


def folder_of(submission: Submission) -> Path:
    """Return the folder of the version that `submission` is pinned to; of the live one where it is to none.

    Raises:
        web.packages.folders.PackageDamaged: the archive in the database is not what was frozen.
    """
    return folders.folder_of(submission.problem, submission.package_id)
