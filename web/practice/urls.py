"""Addresses of the home page, the list of problems and each problem."""

from django.urls import path

from web.practice import views

urlpatterns = [
    path("", views.home, name="home"),
    path("go", views.go, name="go"),
    path("problems", views.problem_list, name="problems"),
    path("problems/<slug:slug>", views.problem, name="problem"),
    path("problems/<slug:slug>/figures/<str:name>", views.figure, name="problem-figure"),
]
