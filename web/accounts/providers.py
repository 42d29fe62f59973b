"""External identity providers: GitHub and an OpenID Connect provider, as configured."""

from typing import Any

from web.config import Config

OIDC_ID = "sso"


def providers(config: Config) -> dict[str, dict[str, Any]]:
    """Return the setting SOCIALACCOUNT_PROVIDERS. It contains configured providers only."""
    found: dict[str, dict[str, Any]] = {}
    if config.github_client_id:
        app = {"client_id": config.github_client_id, "secret": config.github_client_secret}
        found["github"] = {"APPS": [app], "OAUTH_PKCE_ENABLED": True}
    if config.oidc_issuer:
        client: dict[str, Any] = {
            "provider_id": OIDC_ID,
            "name": config.oidc_name,
            "client_id": config.oidc_client_id,
            "secret": config.oidc_client_secret,
            "settings": {"server_url": config.oidc_issuer},
        }
        found["openid_connect"] = {"APPS": [client], "OAUTH_PKCE_ENABLED": True}
    return found
