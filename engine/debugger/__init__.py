"""What a debugger adds to a run: a recording, stepping over it in both directions, breakpoints."""
