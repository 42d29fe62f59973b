"""Certificates for finished tracks: signed addresses that any reader can check without an account.

A certificate is not stored. Its token names the user, the track, the number of problems and the day of the
last solution, and the signature shows that this site wrote it. A certificate is no longer valid when the
account or the track is gone, or when the secret key of the site changes without a fallback.
"""

from dataclasses import dataclass
from datetime import date

from django.core.signing import BadSignature, Signer

from web.accounts.models import User
from web.catalog.queries import Viewer
from web.tracks.models import Track
from web.tracks.queries import VisibleTrack

_signer = Signer(salt="web.tracks.certificates")


@dataclass(frozen=True, slots=True)
class Certificate:
    """A valid certificate: `holder` solved all `problems` of `track`, the last one on `day`."""

    holder: User
    track: Track
    problems: int
    day: date

    @property
    def outcomes(self) -> tuple[str, ...]:
        """Return what learners of the track can do."""
        return tuple(self.track.outcomes.splitlines())


def certificate_token(viewer: Viewer, path: VisibleTrack) -> str:
    """Return the token of the viewer's certificate for `path`, empty unless the viewer has finished it.

    The token stays the same until the track changes.
    """
    solved = [stop.solved_at.date() for stop in path.stops if stop.solved_at]
    if not viewer.is_authenticated or not path.finished or not path.published:
        return ""
    return _signer.sign_object([viewer.pk, path.slug, len(solved), max(solved).isoformat()])


def read_certificate(token: str) -> Certificate | None:
    """Return the certificate with that token; None if the signature is wrong, or account or track is gone."""
    try:
        user, slug, problems, day = _signer.unsign_object(token)
    except BadSignature:
        return None
    holder = User.objects.filter(pk=user, is_active=True).first()
    track = Track.objects.filter(slug=slug).first()
    if holder is None or track is None:
        return None
    return Certificate(holder, track, problems, date.fromisoformat(day))
