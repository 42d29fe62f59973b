"""Addresses of drafts."""

from django.urls import path

from web.drafts import views

_DRAFT = "problems/<slug:slug>/drafts/<str:language>"

urlpatterns = [
    path(_DRAFT, views.draft, name="draft"),
    path(f"{_DRAFT}/history", views.history, name="draft-history"),
    path(f"{_DRAFT}/history/<int:number>", views.revision, name="draft-revision"),
]
