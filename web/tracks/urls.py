"""Addresses of tracks."""

from django.urls import path

from web.tracks import views

urlpatterns = [
    path("tracks", views.track_list, name="tracks"),
    path("tracks/<slug:slug>", views.track, name="track"),
    path("certificates/<str:token>", views.certificate, name="certificate"),
]
