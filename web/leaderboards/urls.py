"""Addresses of leaderboards."""

from django.urls import path

from web.leaderboards import views

urlpatterns = [
    path("ranking", views.ranking, name="ranking"),
    path("problems/<slug:slug>/leaderboard", views.leaderboard, name="leaderboard"),
    path("problems/<slug:slug>/baselines", views.baseline_set, name="baseline-set"),
    path("problems/<slug:slug>/baselines/<int:pk>/remove", views.baseline_remove, name="baseline-remove"),
]
