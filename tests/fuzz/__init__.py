"""Inputs that fuzzers make for the readers of text and bytes, and requests for the API.

    python -m tests.fuzz programs|expressions|arrays|files|frames|messages [EXECUTIONS]
    python -m tests.fuzz api [REQUESTS FOR EACH ROUTE]

The first looks for inputs that reach new lines of a reader and fails at the first that raises anything but its own errors,
takes 20 s or 2 GiB. The second fails if the server answers 5xx, or with a status that the API's document does not state.
"""
