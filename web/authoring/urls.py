"""Addresses of authoring. Those of a workspace's tabs are `author-<tab>`; see `web.authoring.tabs`."""

from django.urls import include, path

from web.authoring.views import people, signature, statement, versions, workspaces

_IN = "author/<slug:slug>"

urlpatterns = [
    path("author", workspaces.author, name="author"),
    path("author/new", workspaces.new, name="author-new"),
    path("", include("web.importing.urls")),
    path(_IN, workspaces.workspace, name="author-workspace"),
    path(f"{_IN}/clone", workspaces.clone, name="author-clone"),
    path(f"{_IN}/archive", workspaces.archive, name="author-archive"),
    path(f"{_IN}/delete", workspaces.delete, name="author-delete"),
    path(f"{_IN}/statement", statement.statement, name="author-statement"),
    path(f"{_IN}/statement/preview", statement.preview, name="author-statement-preview"),
    path(f"{_IN}/translations", statement.translation_add, name="author-translation-add"),
    path(
        f"{_IN}/translations/<str:locale>/remove",
        statement.translation_remove,
        name="author-translation-remove",
    ),
    path(f"{_IN}/figures", statement.figure_add, name="author-figure-add"),
    path(f"{_IN}/figures/<str:name>", statement.figure, name="author-figure"),
    path(f"{_IN}/figures/<str:name>/remove", statement.figure_remove, name="author-figure-remove"),
    path(f"{_IN}/signature", signature.signature, name="author-signature"),
    path(f"{_IN}/signature/<str:language>", signature.starter, name="author-starter"),
    path(f"{_IN}/people", people.people, name="author-people"),
    path(f"{_IN}/people/ownership", people.ownership, name="author-ownership"),
    path(f"{_IN}/people/<str:username>/remove", people.remove, name="author-person-remove"),
    path("", include("web.authoring.editing_urls")),
    path("problems/<slug:slug>/versions/<int:number>.zip", versions.download, name="package-download"),
]
