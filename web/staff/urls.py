"""Addresses of the staff pages."""

from django.urls import path

from web.staff import quiz_views, quota_views, rejudge_views, track_views, usage_views, user_views, views

urlpatterns = [
    path("staff", views.overview, name="staff"),
    path("staff/queue", views.queue, name="staff-queue"),
    path("staff/queue/<public_id:public_id>/cancel", views.job_cancel, name="staff-job-cancel"),
    path("staff/queue/<public_id:public_id>/requeue", views.job_requeue, name="staff-job-requeue"),
    path("staff/queue/<public_id:public_id>/again", views.job_again, name="staff-job-again"),
    path("staff/stuck", views.stuck, name="staff-stuck"),
    path("staff/workers", views.workers, name="staff-workers"),
    path("staff/rejudges", rejudge_views.rejudge_list, name="staff-rejudges"),
    path("staff/rejudges/new", rejudge_views.rejudge_new, name="staff-rejudge-new"),
    path("staff/rejudges/<int:pk>", rejudge_views.rejudge, name="staff-rejudge"),
    path("staff/rejudges/<int:pk>/apply", rejudge_views.rejudge_apply, name="staff-rejudge-apply"),
    path("staff/rejudges/<int:pk>/discard", rejudge_views.rejudge_discard, name="staff-rejudge-discard"),
    path("staff/rejudges/<int:pk>/cancel", rejudge_views.rejudge_cancel, name="staff-rejudge-cancel"),
    path("staff/tracks", track_views.track_list, name="staff-tracks"),
    path("staff/tracks/new", track_views.track_new, name="staff-track-new"),
    path("staff/tracks/<slug:slug>", track_views.track_edit, name="staff-track"),
    path("staff/tracks/<slug:slug>/delete", track_views.track_delete, name="staff-track-delete"),
    path("staff/quizzes", quiz_views.quiz_list, name="staff-quizzes"),
    path("staff/quizzes/<slug:slug>/publish", quiz_views.quiz_publish, name="staff-quiz-publish"),
    path("staff/users", user_views.user_list, name="staff-users"),
    path("staff/users/<path:username>", user_views.user_roles, name="staff-user"),
    path("staff/quotas", quota_views.quota_list, name="staff-quotas"),
    path("staff/quotas/<int:pk>/remove", quota_views.quota_remove, name="staff-quota-remove"),
    path("staff/usage", usage_views.usage_report, name="staff-usage"),
    path("staff/audit", views.audit, name="staff-audit"),
]
