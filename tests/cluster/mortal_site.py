"""The site, which dies on request between the commit of a submission and its wake-up message.

    uvicorn tests.cluster.mortal_site:application

It is killed with SIGKILL, once, if the file `die-before-waking` is in the runtime directory.
"""

import os
import signal

from django.conf import settings

from web.asgi import application
from web.jobs import wakeup

__all__ = ["application"]

_wake = wakeup.wake


def _wake_or_die(*arguments: object, **options: object) -> None:
    order = settings.WARPCOURT.runtime_dir / "die-before-waking"
    if order.exists():
        order.unlink()
        os.kill(os.getpid(), signal.SIGKILL)
    _wake(*arguments, **options)  # type: ignore[arg-type]


wakeup.wake = _wake_or_die
