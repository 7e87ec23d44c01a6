"""`python -m tests.fuzz`, as the package describes it."""

from __future__ import annotations

import sys
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["hloscope"]):
    from . import api, readers

CORPUS = Path("test-results") / "fuzz"
"""Where the inputs that reached new lines are kept, in a folder for each reader, and one that failed."""
SECONDS, MEBIBYTES, LONGEST = 20, 2048, 4096


def main(name: str, count: int | None = None) -> None:
    """Fuzz a reader, or send the API requests."""
    if name == "api":
        raise SystemExit(api.main(count or 50))
    folder = CORPUS / name
    folder.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(readers.seeds(name)):
        (folder / f"seed-{number}").write_bytes(seed)
    limits = f"-timeout={SECONDS}", f"-rss_limit_mb={MEBIBYTES}", f"-max_len={LONGEST}"
    atheris.Setup(
        [
            "fuzz",
            str(folder),
            f"-runs={count or -1}",
            *limits,
            f"-artifact_prefix={folder}.",
            "-print_final_stats=1",
        ],
        readers.READERS[name],
    )
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:3]))
