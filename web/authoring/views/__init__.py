"""Views for authors, one module for each tab of a workspace; see `web.authoring.tabs`."""
