"""Memory and traffic of a program, from its text alone: live ranges, the peak, and the bytes of collectives."""
