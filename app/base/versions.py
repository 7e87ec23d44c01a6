"""Versions of installed packages."""


def installed_version(package: str = "hloscope") -> str:
    """The installed version of a package; empty if it is not installed, as for a checkout on the path."""
    from importlib.metadata import PackageNotFoundError, version  # slow to import

    try:
        return version(package)
    except PackageNotFoundError:
        return ""
