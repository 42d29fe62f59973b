"""The trusted clock: times what only the referee measured. `session` explains how."""
