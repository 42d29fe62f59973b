"""Addresses of submissions."""

from django.urls import path

from web.submissions import views

urlpatterns = [
    path("problems/<slug:slug>/submissions", views.create, name="submission-create"),
    path("submissions", views.submission_list, name="submissions"),
    path("s/<str:public_id>", views.detail, name="submission"),
    path("s/<str:public_id>/report", views.report, name="submission-report"),
    path("s/<str:public_id>/listings/<slug:kind>.txt", views.listing_text, name="submission-listing-text"),
    path("s/<str:public_id>/listings/<slug:kind>", views.listing, name="submission-listing"),
    path("s/<str:public_id>/rejudge", views.rejudge, name="submission-rejudge"),
    path("s/<str:public_id>/cancel", views.cancel, name="submission-cancel"),
]
