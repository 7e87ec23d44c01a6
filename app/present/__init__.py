"""The engine's data as JSON and bytes for the browser; no other folder decides a wire form."""
