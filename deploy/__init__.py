"""Setting up hosts: what to install, and the audit of what is there."""
