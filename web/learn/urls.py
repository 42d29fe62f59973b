"""Addresses of the primer, its tasks and the concepts."""

from django.urls import path

from web.learn import views

urlpatterns = [
    path("learn", views.primer, name="primer"),
    path("learn/tasks/<slug:task>", views.run_task, name="task-run"),
    path("learn/tasks/<slug:task>/<public_id:public_id>", views.task_result, name="task-result"),
    path("learn/<slug:concept>", views.concept, name="concept"),
]
