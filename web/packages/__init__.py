"""The versions of problems: packages, frozen, kept in the database."""
