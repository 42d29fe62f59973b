"""The base layer of the site: small modules that depend on no app."""
