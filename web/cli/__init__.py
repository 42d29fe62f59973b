"""The `warpcourt` command, for users who prefer their own editor.

A program of its own: it knows a site only through its REST API and imports nothing of the site, so
that `pip install` of this project on a laptop brings no Django. Hence the relative imports.
"""
