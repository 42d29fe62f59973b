"""Addresses of discussions, questions and galleries. `web.results.urls` registers the form of public ids."""

from django.urls import URLPattern, path

from web.discussion import gallery_views, inquiry_views, staff_views, views
from web.discussion.addresses import DISCUSSION, QUESTIONS, Room


def _room(name: str, room: Room) -> list[URLPattern]:
    base, more = f"problems/<slug:slug>/{name}", {"room": room}
    return [
        path(base, views.thread_list, more, name=room.list_name),
        path(f"{base}/new", views.thread_new, more, name=room.new_name),
        path(f"{base}/preview", views.preview, more, name=room.preview_name),
        path(f"{base}/<int:pk>", views.thread, more, name=room.thread_name),
        path(f"{base}/<int:pk>/reply", views.reply, more, name=room.reply_name),
    ]


urlpatterns = [
    path("problems/<slug:slug>/editorial", views.editorial, name="editorial"),
    *_room("discussion", DISCUSSION),
    *_room("questions", QUESTIONS),
    path("problems/<slug:slug>/solutions", gallery_views.solution_list, name="solutions"),
    path("solutions/<int:pk>/vote", gallery_views.vote, name="solution-vote"),
    path("s/<public_id:public_id>/gallery", gallery_views.share, name="solution-share"),
    path("s/<public_id:public_id>/gallery/withdraw", gallery_views.withdraw, name="solution-withdraw"),
    path("s/<public_id:public_id>/questions", inquiry_views.inquiry, name="inquiry"),
    path("s/<public_id:public_id>/questions/close", inquiry_views.close, name="inquiry-close"),
    path("inbox", inquiry_views.inbox, name="inbox"),
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
