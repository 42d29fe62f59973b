"""Addresses of the primer, its tasks, the concepts, the findings, the terms and the readings."""

from django.urls import path

from web.learn import views

urlpatterns = [
    path("learn", views.primer, name="primer"),
    path("learn/tasks/<slug:task>", views.run_task, name="task-run"),
    path("learn/tasks/<slug:task>/<public_id:public_id>", views.task_result, name="task-result"),
    path("learn/findings", views.findings, name="findings"),
    path("learn/findings/<slug:finding>", views.finding, name="finding"),
    path("learn/terms", views.terms, name="terms"),
    path("learn/days/<slug:reading>", views.reading, name="reading"),
    path("learn/<slug:concept>", views.concept, name="concept"),
]
