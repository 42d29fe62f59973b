"""Workers as Slurm jobs: the job script, the decisions of the autoscaler, and its Slurm commands."""
