"""Where settings are given: a TOML file, the environment, assignments of the command line; each with its place."""

import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

ENVIRONMENT_PREFIX = "HLOSCOPE_"
KEY = re.compile(r"""\s*\[*\s*["']?([^"'=\]\s]+)""")
"""The name at the start of a line of a TOML file: of a value or of a table."""


class SettingsError(ValueError):
    """The name or the value of a setting is invalid; the message has its place."""


@dataclass(frozen=True)
class Given:
    """A value as it was given: text, or what a TOML file holds."""

    name: str
    value: object
    place: str
    """Where it was given, as the start of a sentence."""


def of_assignments(assignments: Iterable[str], names: Collection[str]) -> Iterator[Given]:
    """The values of `name=value` assignments."""
    for assignment in assignments:
        name, separator, value = assignment.partition("=")
        if not separator:
            raise SettingsError(f"'{assignment}' is not name=value with the name of a setting")
        yield _known(Given(name, value, f"--set {name}"), names)


def of_environment(environment: Mapping[str, str], names: Collection[str]) -> Iterator[Given]:
    """The values of `HLOSCOPE_<NAME>`; other variables may begin like that, so unknown names are ignored."""
    for name in names:
        variable = ENVIRONMENT_PREFIX + name.upper()
        if variable in environment:
            yield Given(name, environment[variable], variable)


def of_file(path: Path, names: Collection[str]) -> Iterator[Given]:
    """The values of a TOML file, `name = value` in each line."""
    try:
        text = path.read_bytes().decode()
        found = tomllib.loads(text)
    except OSError as error:
        raise SettingsError(
            f"the file of settings {path} cannot be read: {(error.strerror or '').lower()}"
        ) from None
    except UnicodeDecodeError:
        raise SettingsError(f"the file of settings {path} is not UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"the file of settings {path} is not TOML: {error}") from None
    lines = {match[1]: number for number, match in reversed(list(_keys(text)))}
    for name, value in found.items():
        place = f"{path} line {lines[name]}" if name in lines else str(path)
        yield _known(Given(name, value, place), names)


def _keys(text: str) -> Iterator[tuple[int, re.Match[str]]]:
    for number, line in enumerate(text.splitlines(), 1):
        if (match := KEY.match(line)) is not None:
            yield number, match


def _known(given: Given, names: Collection[str]) -> Given:
    if given.name in names:
        return given
    close = get_close_matches(given.name, names, 1)
    advice = f"; did you mean '{close[0]}'?" if close else "; /-/settings of a server lists them"
    raise SettingsError(f"{given.place}: there is no setting '{given.name}'{advice}")
