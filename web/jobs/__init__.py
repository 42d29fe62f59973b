"""The job engine: queues, claims, leases and results for every kind of job."""
