"""Setting up hosts: installation, and the audit of a host."""
