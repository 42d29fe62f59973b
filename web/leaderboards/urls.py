"""Addresses of leaderboards."""

from django.urls import path

from web.leaderboards import views

urlpatterns = [path("problems/<slug:slug>/leaderboard", views.leaderboard, name="leaderboard")]
