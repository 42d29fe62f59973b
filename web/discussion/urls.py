"""Addresses of discussions."""

from django.urls import path

from web.discussion import staff_views, views

urlpatterns = [
    path("problems/<slug:slug>/editorial", views.editorial, name="editorial"),
    path("problems/<slug:slug>/discussion", views.thread_list, name="threads"),
    path("problems/<slug:slug>/discussion/new", views.thread_new, name="thread-new"),
    path("problems/<slug:slug>/discussion/preview", views.preview, name="post-preview"),
    path("problems/<slug:slug>/discussion/<int:pk>", views.thread, name="thread"),
    path("problems/<slug:slug>/discussion/<int:pk>/reply", views.reply, name="thread-reply"),
    path("posts/<int:pk>/edit", views.post_edit, name="post-edit"),
    path("posts/<int:pk>/delete", views.post_delete, name="post-delete"),
    path("posts/<int:pk>/report", views.post_flag, name="post-flag"),
    path("staff/reports", staff_views.flag_list, name="staff-flags"),
    path("staff/posts/<int:pk>", staff_views.post_detail, name="staff-post"),
    path("staff/posts/<int:pk>/hide", staff_views.post_hide, name="staff-post-hide"),
    path("staff/posts/<int:pk>/restore", staff_views.post_restore, name="staff-post-restore"),
    path("staff/posts/<int:pk>/dismiss", staff_views.post_dismiss, name="staff-post-dismiss"),
    path("staff/bans", staff_views.ban_list, name="staff-bans"),
    path("staff/bans/<int:pk>/lift", staff_views.ban_lift, name="staff-ban-lift"),
]
