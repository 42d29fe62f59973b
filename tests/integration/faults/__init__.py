"""Faults in every stage of a submission and of other jobs, on clusters of real services and hosts."""
