"""Settings: where they come from, and that each is documented and used."""

from dataclasses import fields

import pytest

from hloscope.app.base.settings import Settings, SettingsError
from hloscope.engine.limits import DEFAULT_LIMITS, Limits


def test_defaults_then_environment_then_command_line() -> None:
    environment = {"HLOSCOPE_MAX_OPS": "5_000", "HLOSCOPE_MAX_RANK": "8", "HLOSCOPE_UNKNOWN": "x"}
    settings = Settings.load(["max_rank=9"], environment)
    assert (settings.max_ops, settings.max_rank, settings.max_nesting) == (5000, 9, 200)


@pytest.mark.parametrize("text", ["max_rank", "no_such=1", "max_rank=x", "max_rank=-1", "max_rank=1.5", "=1"])
def test_wrong_settings_are_named(text: str) -> None:
    with pytest.raises(SettingsError, match="setting"):
        Settings.load([text], {})


def test_the_engines_defaults_are_those_of_local_use() -> None:
    assert Settings().limits() == DEFAULT_LIMITS


def test_every_limit_of_the_engine_is_a_setting() -> None:
    names = {item.name for item in fields(Settings)} | {"run_seconds"}  # which is run_time_limit_ms
    assert {item.name for item in fields(Limits)} <= names


def test_zero_switches_the_time_of_a_run_off() -> None:
    assert Settings(run_time_limit_ms=0).limits().run_seconds > 1e6


def test_every_setting_says_what_it_is_and_keeps_secrets() -> None:
    described = Settings(token="a-secret").to_json()
    assert all(item["text"].endswith(".") for item in described)
    assert "a-secret" not in str(described)
