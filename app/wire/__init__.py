"""What goes between browser, server and worker, written down once.

`requests` is what comes from outside and is validated; everything else is types alone, which cost nothing when the
program runs: what the server answers (`program`, `sessions`, `values`, `grid`, `maps`, `map_numbers`, `provenance`,
`reference`, `playground`, `lessons`), what it says over the socket (`live`), what it asks a worker (`questions` about a recording,
`tasks` of any other kind) and what a worker says unasked (`events`). `python -m tests.wire_types` writes the types that
the browser knows as JSDoc.
"""
