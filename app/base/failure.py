"""A command that cannot continue, and the exit codes of commands; the module of the command line has their table."""

WRONG, MISUSED, LIMITED, UNKNOWN, NO_CLUSTER, FAULT = 1, 2, 3, 8, 9, 70


def file_sentence(error: OSError) -> str:
    """`cannot use x.npz: no such file or directory`."""
    reason = (error.strerror or str(error)).lower()
    return f"cannot use {error.filename}: {reason}" if error.filename else reason


class Failure(Exception):
    """The command cannot do what its options state; the message is for the user."""

    def __init__(self, message: str, code: int = MISUSED) -> None:
        super().__init__(message)
        self.code = code
