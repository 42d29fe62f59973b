"""Quizzes: questions with drawn numbers and computed answers, and the users' attempts."""
