"""Every fault in every stage of a submission, on clusters of real services and hosts."""
