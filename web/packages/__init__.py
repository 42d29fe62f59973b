"""The versions of problems: frozen packages in the database."""
