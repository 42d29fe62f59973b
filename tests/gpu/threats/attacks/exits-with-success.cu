// Leaves with the status of success.
SOLVE { _exit(0); }
