"""The machine and the libraries that figures were measured on."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import Any

import jaxlib
import numpy as np


def described() -> str:
    """One line: processor, cores, Python, NumPy and its BLAS, jaxlib."""
    blas = _blas()
    return (
        f"{_processor()}, {os.cpu_count()} cores; Python {platform.python_version()}, "
        f"NumPy {np.__version__} ({blas}), jaxlib {jaxlib.__version__}"
    )


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    if not information.exists():
        return platform.processor() or platform.machine()
    lines = information.read_text().splitlines()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())


def _blas() -> str:
    configuration: Any = np.show_config(mode="dicts")
    blas = configuration["Build Dependencies"]["blas"]
    return f"{blas['name']} {blas['version']}"
