"""Import of problem sets in foreign formats: uploads, runs on workers, and reports."""
