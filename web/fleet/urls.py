"""Addresses of the fleet."""

from django.urls import path

from web.fleet import views

urlpatterns = [
    path("fleet", views.fleet, name="fleet"),
    path("fleet/nodes/<int:pk>/drain", views.node_drain, name="node-drain"),
    path("fleet/nodes/<int:pk>/undrain", views.node_undrain, name="node-undrain"),
    path("fleet/gpus/<int:pk>/quarantine", views.gpu_hold, name="gpu-hold"),
    path("fleet/gpus/<int:pk>/release", views.gpu_release, name="gpu-release"),
]
