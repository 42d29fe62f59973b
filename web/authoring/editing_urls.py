"""Addresses of the tabs that edit what is judged, and of proof, versions and history."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
