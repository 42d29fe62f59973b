"""Tests of access rights: every address of the URL map with every kind of user."""
