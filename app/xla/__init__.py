"""XLA as a second engine: jaxlib compiles and runs programs in a separate process."""
