"""The `warpcourt` command, for users who prefer their own editor.

It is a separate program: it uses only the site's REST API and imports no code of the site, so that
`pip install` on a laptop does not install Django. Hence the relative imports.
"""
