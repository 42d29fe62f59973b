"""Workers as jobs of Slurm: the job script, the decisions of the autoscaler, and its commands of Slurm."""
