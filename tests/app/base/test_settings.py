"""Settings: where they come from, and that each is documented and used."""

from dataclasses import fields
from pathlib import Path

import pytest

from hloscope.app.base.settings import Settings, SettingsError
from hloscope.engine.limits import DEFAULT_LIMITS, Limits


def test_defaults_then_environment_then_command_line() -> None:
    environment = {"HLOSCOPE_MAX_OPS": "5_000", "HLOSCOPE_MAX_RANK": "8", "HLOSCOPE_UNKNOWN": "x"}
    settings = Settings.load(["max_rank=9"], environment)
    assert (settings.max_ops, settings.max_rank, settings.max_nesting) == (5000, 9, 200)


def test_a_file_comes_before_the_environment_and_the_command_line(tmp_path: Path) -> None:
    file = tmp_path / "hloscope.toml"
    file.write_text('max_ops = 7_000\nmax_rank = 7\nmax_nesting = 70\nembed_sites = "https://a.example"\n')
    settings = Settings.load(
        [f"settings_file={file}", "max_nesting=9"],
        {"HLOSCOPE_MAX_RANK": "8", "HLOSCOPE_SETTINGS_FILE": "/none"},
    )
    assert (settings.max_ops, settings.max_rank, settings.max_nesting) == (7000, 8, 9)
    assert settings.embed_sites == "https://a.example"
    assert Settings.load([], {"HLOSCOPE_SETTINGS_FILE": str(file)}).max_rank == 7


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("# ours\nmax_rnk = 3", "FILE line 2: there is no setting 'max_rnk'; did you mean 'max_rank'?"),
        ("\n[limits]\nmax_rank = 3", "FILE line 2: there is no setting 'limits'; /-/settings of a server"),
        ("zzz = 1", "FILE line 1: there is no setting 'zzz'; /-/settings of a server lists them"),
        ("max_rank = 1.5", "FILE line 1: setting 'max_rank' is a whole number, not 1.5"),
        ("max_ops = 1\n'max_rank' = true", "FILE line 2: setting 'max_rank' is a whole number, not True"),
        ("max_rank = 'x'", "FILE line 1: setting 'max_rank' is a whole number, not 'x'"),
        ("max_rank = -2", "FILE line 1: setting 'max_rank' must not be negative"),
        ("allowed_hosts = 5", "FILE line 1: setting 'allowed_hosts' is a text in quotes, not 5"),
        ("settings_file = 'other.toml'", "FILE line 1: there is no setting 'settings_file'"),
        ("allowed_hosts = 'http://a.example'", "allowed_hosts names 'http://a.example'"),
        (
            "max_rank = \nmax_ops = 1",
            "the file of settings FILE is not TOML: Invalid value (at line 1, column 12)",
        ),
    ],
)
def test_a_wrong_file_names_its_line(text: str, wrong: str, tmp_path: Path) -> None:
    file = tmp_path / "hloscope.toml"
    file.write_text(text)
    with pytest.raises(SettingsError) as caught:
        Settings.load([f"settings_file={file}"], {})
    assert str(caught.value).startswith(wrong.replace("FILE", str(file)))


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot be read: no such file"):
        Settings.load([f"settings_file={tmp_path / 'none.toml'}"], {})
    (tmp_path / "latin").write_bytes(b"token = '\xe9'")
    with pytest.raises(SettingsError, match="is not UTF-8"):
        Settings.load([f"settings_file={tmp_path / 'latin'}"], {})


def test_a_public_server_has_stricter_defaults_that_everything_else_changes(tmp_path: Path) -> None:
    local, public = Settings(), Settings.load(["public=1"], {})
    file = tmp_path / "hloscope.toml"
    file.write_text("public = 1\nmax_ops = 7")
    chosen = Settings.load([f"settings_file={file}"], {"HLOSCOPE_MAX_RANK": "5"})
    assert (chosen.max_ops, chosen.max_rank, chosen.max_tensor_bytes) == (7, 5, public.max_tensor_bytes)
    limits = {
        name
        for name in vars(local)
        if name.startswith("max_") and getattr(local, name) != getattr(public, name)
    }
    assert {"max_ops", "max_program_bytes", "max_tensor_bytes", "max_upload_bytes"} <= limits
    assert all(getattr(public, name) < getattr(local, name) for name in limits - {"max_active_sessions"})
    assert not public.allows_second_engine(serves_others=False)
    assert {item["name"]: item["public"] for item in local.to_json()} == {
        item["name"]: item["value"]
        for item in Settings.load(["public=1"], {}).to_json()
        if item["name"] != "public"
    } | {"public": 0}


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
