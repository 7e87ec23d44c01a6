"""A recording as Python code looks at it: values by name and place, steps, frames, iterations; and kept in a file."""
