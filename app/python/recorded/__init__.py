"""A recording as Python objects: values, steps, frames and iterations; and as a file."""
