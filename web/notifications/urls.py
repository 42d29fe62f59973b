"""Addresses of notifications."""

from django.urls import path

from web.notifications import views

urlpatterns = [
    path("notifications", views.notification_list, name="notifications"),
    path("notifications/read", views.read_all, name="notifications-read"),
    path("notifications/<int:pk>", views.notification_open, name="notification"),
    path("notifications/<int:pk>/read", views.notification_read, name="notification-read"),
    path("account/notifications", views.settings, name="account-notifications"),
]
