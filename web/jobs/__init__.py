"""The job engine: what waits for a worker, who holds it, and how it ends, for every kind of job."""
