// Ends by a signal of its own.
SOLVE { abort(); }
