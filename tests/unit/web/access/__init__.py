"""Who may open what: every address of the URL map against every kind of person."""
