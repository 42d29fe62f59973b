"""The ground floor of the site: small modules that know no app."""
