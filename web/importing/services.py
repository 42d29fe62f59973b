"""Requests imports from workers, and cancels them.

ImportRefused
+-- TooManyImports        the user has reached the maximum number of open imports
+-- SetUnacceptable       the file may not be stored, or the folder may not be read
"""

from pathlib import PurePosixPath

from django.db import transaction
from django.utils import timezone

from problems.importing.upload import MAX_SET_MIB, SetInvalid, check_set
from web.accounts.models import User
from web.accounts.services import lock_user
from web.importing.models import FOLDER_CHARACTERS, ImportRun
from web.importing.queue import PRIORITY, queue
from web.jobs.models import OPEN

MAX_OPEN_OF_PERSON = 2
KEPT_OF_PERSON = 20


class ImportRefused(Exception):
    """Root of the reasons for refusing an import. The message is for the user who requested it."""


class TooManyImports(ImportRefused):
    """Raised when the user has reached the maximum number of open imports."""


class SetUnacceptable(ImportRefused):
    """Raised when the file may not be stored, or the folder may not be read."""


def start_archive(by: User, set_format: str, archive: bytes, *, scale: bool = False) -> ImportRun:
    """Request the import of the set in a ZIP file. With `scale`, small timed cases grow.

    Raises:
        ImportRefused: see the tree above.
    """
    if len(archive) > MAX_SET_MIB * 2**20:
        raise SetUnacceptable(f"The file exceeds {MAX_SET_MIB} MiB. Import the set in parts.")
    try:
        check_set(archive)
    except SetInvalid as error:
        raise SetUnacceptable(f"{error}.") from error
    return _start(by, ImportRun(by=by, format=set_format, archive=archive, scale=scale, priority=PRIORITY))


def start_folder(by: User, set_format: str, folder: str, *, scale: bool = False) -> ImportRun:
    """Request the import of the set in `folder`, which is below the directory that the operator configured.

    With `scale`, small timed cases grow.

    Raises:
        ImportRefused: see the tree above.
    """
    path = PurePosixPath(folder)
    if path.is_absolute() or ".." in path.parts or len(folder) > FOLDER_CHARACTERS or "\0" in folder:
        raise SetUnacceptable("Enter a path relative to the imports directory, without '..'.")
    return _start(
        by, ImportRun(by=by, format=set_format, folder=path.as_posix(), scale=scale, priority=PRIORITY)
    )


@transaction.atomic
def cancel(run: ImportRun) -> bool:
    """Cancel an import. Return False if it was already over.

    A worker that has it stops after the current problem.
    """
    return queue.cancel(run, archive=None, finished=timezone.now())


@transaction.atomic
def _start(by: User, run: ImportRun) -> ImportRun:
    lock_user(by)
    mine = ImportRun.objects.filter(by=by)
    if mine.filter(state__in=OPEN).count() >= MAX_OPEN_OF_PERSON:
        raise TooManyImports(
            f"You have {MAX_OPEN_OF_PERSON} imports running, the maximum. Wait for one to finish."
        )
    old = mine.exclude(state__in=OPEN).values_list("pk", flat=True)[KEPT_OF_PERSON - 1 :]
    ImportRun.objects.filter(pk__in=[*old]).delete()
    queue.add(run)
    return run
