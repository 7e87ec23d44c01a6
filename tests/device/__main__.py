"""`python -m tests.device PART …`: run a part; without one, list them."""

from __future__ import annotations

import sys
from importlib import import_module

PARTS = {
    "functions": "measure the functions, products and denormals of a device against its table of rounding",
    "compare": "run a folder of programs on a device, judge the results, and plant faults",
}


def main(arguments: list[str]) -> int:
    """Run the named part, a module of this package."""
    if not arguments or arguments[0] not in PARTS:
        print("\n".join(f"{name:12} {about}" for name, about in PARTS.items()))
        return 2
    module = import_module(f"{__package__}.{arguments[0]}")
    return int(module.main(arguments[1:]) or 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
