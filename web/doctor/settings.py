"""Checks of the settings themselves. That they can be parsed is known: nothing starts otherwise."""

from urllib.parse import urlsplit

from deploy.audit.finding import Finding, Findings, Level, ok_if
from web.config import Config

_LOCAL = {"localhost", "127.0.0.1", "::1"}


def check_settings(config: Config) -> Findings:
    """What is unsafe or unwise where others than oneself use the site."""
    if config.debug:
        fix = "set WARPCOURT_DEBUG=no: tracebacks in the browser tell strangers about the site"
        yield Finding("settings", Level.REFUSED, "debug is on", fix)
    url = urlsplit(config.public_url)
    local = not config.public_url or (url.hostname or "") in _LOCAL
    yield Finding(
        "address",
        ok_if(local or url.scheme == "https", Level.WEAK),
        config.public_url or "none is set: the site is for this host alone",
        "set WARPCOURT_PUBLIC_URL=https://... and put a TLS proxy in front: passwords travel in the open",
    )
    if not local and not config.trusted_proxies and url.scheme == "https":
        fix = "set WARPCOURT_TRUSTED_PROXIES=1: else everybody shares the limits of the proxy's address"
        yield Finding("proxy", Level.WEAK, "none is trusted, and the address is https", fix)
    if not local and not config.email_url:
        fix = "set WARPCOURT_EMAIL_URL: links for forgotten passwords go to the log of the web server"
        yield Finding("mail", Level.WEAK, "no mail server is set", fix)
    if config.database_url and not config.secret_key:
        fix = "set WARPCOURT_SECRET_KEY_FILE: web servers on several hosts have to share it"
        yield Finding("secret key", Level.WEAK, "kept in the data directory of this host", fix)
