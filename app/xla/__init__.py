"""XLA as a second engine: programs compiled and run by jaxlib, in a process of their own."""
