"""Notifications of users, on the site and by email."""
