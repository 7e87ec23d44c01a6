"""Programs of JAX for eight devices: recipes, which need no JAX, and what makes programs of them in the oracle's process."""
