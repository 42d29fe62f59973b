"""Addresses of drafts. `web.results.urls` registers the form of public ids."""

from django.urls import path

from web.drafts import views

_DRAFT = "problems/<slug:slug>/drafts/<str:language>"

urlpatterns = [
    path(_DRAFT, views.draft, name="draft"),
    path(f"{_DRAFT}/history", views.history, name="draft-history"),
    path(f"{_DRAFT}/history/<int:number>", views.revision, name="draft-revision"),
    path(f"{_DRAFT}/history/s/<public_id:public_id>", views.submitted, name="draft-submitted"),
    path("problems/<slug:slug>/note", views.note, name="problem-note"),
    path("problems/<slug:slug>/bookmark", views.bookmark, name="problem-bookmark"),
]
