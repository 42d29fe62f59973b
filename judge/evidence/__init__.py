"""What compilers, sanitizers and runners say of a program, read as hostile text."""
