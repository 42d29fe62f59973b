"""The trusted clock: ranks only times that the referee measured itself. `session` explains how."""
