"""Addresses of quizzes."""

from django.urls import path

from web.quizzes import views

urlpatterns = [
    path("quizzes", views.quiz_list, name="quizzes"),
    path("quizzes/<slug:slug>", views.quiz, name="quiz"),
    path("quizzes/<slug:slug>/start", views.start, name="quiz-start"),
    path("quizzes/<slug:slug>/attempts/<int:draw>", views.attempt, name="quiz-attempt"),
]
