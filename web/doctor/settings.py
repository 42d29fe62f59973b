"""Checks of settings. They are known to be valid: no process starts otherwise."""

from urllib.parse import urlsplit

from deploy.audit.finding import Finding, Findings, Level, ok_if
from web.config import Config

LOCAL_HOSTS = {"localhost", "127.0.0.1", "::1"}


def check_settings(config: Config) -> Findings:
    """Settings that are unsafe or unsuitable for a site with several users."""
    if config.debug:
        fix = "set WARPCOURT_DEBUG=no: browsers show tracebacks, which reveal internals of the site"
        yield Finding("settings", Level.REFUSED, "debug mode is on", fix)
    url = urlsplit(config.public_url)
    local = not config.public_url or (url.hostname or "") in LOCAL_HOSTS
    yield Finding(
        "address",
        ok_if(local or url.scheme == "https", Level.WEAK),
        config.public_url or "not set: the site serves only this host",
        "set WARPCOURT_PUBLIC_URL=https://... and use a TLS proxy: passwords are sent unencrypted",
    )
    if not local and not config.trusted_proxies and url.scheme == "https":
        fix = "set WARPCOURT_TRUSTED_PROXIES=1: otherwise all users share the limits of the proxy's address"
        yield Finding("proxy", Level.WEAK, "no proxy is trusted, but the public URL is https", fix)
    if not local and not config.email_url:
        fix = "set WARPCOURT_EMAIL_URL: links for resetting passwords go to the log of the web server"
        yield Finding("mail", Level.WEAK, "no mail server is configured", fix)
    if config.database_url and not (config.secret_key or config.board_key):
        fix = (
            "set WARPCOURT_SECRET_KEY_FILE: web servers and workers on several hosts must share the key. "
            "On a node that joined with an earlier version, run node join --overwrite instead"
        )
        yield Finding("secret key", Level.WEAK, "stored in the data directory of this host", fix)
