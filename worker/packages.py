"""The folder of the package that judges a submission."""

from pathlib import Path

from web.packages import folders
from web.submissions.models import Submission


def folder_of(submission: Submission) -> Path:
    """Return the folder of the version that `submission` is pinned to; without a pin, of the live one.

    Raises:
        web.packages.folders.PackageDamaged: the archive in the database does not match its hash.
    """
    return folders.folder_of(submission.problem, submission.package_id)
