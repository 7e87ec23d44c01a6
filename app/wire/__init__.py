"""Types of all data between browser, server and worker.

`requests` is the validated input from outside; the other modules are types alone, free at run time: the server's
responses (`program`, `sessions`, `values`, `grid`, `maps`, `map_numbers`, `provenance`, `reference`, `playground`,
`lessons`), its socket messages (`live`), its requests to a worker (`questions` about a recording, `tasks` of any other
kind) and a worker's events (`events`). `python -m tests.wire_types` writes the types that the browser uses as JSDoc.
"""
