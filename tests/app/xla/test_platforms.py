"""Which devices a program runs on: the choice among all that jax finds, and what is said where it finds none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hloscope
from hloscope.app.cli.main import main
from hloscope.app.comparing.against import names_an_engine, parse_against
from hloscope.app.comparing.jobs import EngineJobs
from hloscope.app.comparing.our_runs import OurRun, run_ours
from hloscope.app.xla.failures import XlaNoPlatform
from hloscope.app.xla.platforms import NoSuchPlatform, choose
from hloscope.engine.limits import Limits
from hloscope.engine.ops.core.devices import ANY, Device, device_of

FOUND = {"cpu": ["c0"], "gpu": ["g0", "g1"]}
SQUARE = """func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.multiply %a, %a : tensor<3xf32>
  return %0 : tensor<3xf32>
}"""
PRODUCT = """func.func @main(%a: tensor<8x64xf32>, %b: tensor<64x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT]
    : (tensor<8x64xf32>, tensor<64x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}"""


@pytest.mark.parametrize(
    ("wanted", "default", "chosen"),
    [("device", "gpu", ["g0", "g1"]), ("device", "cpu", ["c0"]), ("gpu", "cpu", ["g0", "g1"]), ("cpu", "gpu", ["c0"])],
)  # fmt: skip
def test_a_platform_is_chosen_by_name_or_left_to_jax(wanted: str, default: str, chosen: list[str]) -> None:
    assert choose(wanted, FOUND, default) == chosen


def test_what_there_is_is_told_where_a_platform_is_missing() -> None:
    with pytest.raises(NoSuchPlatform) as missing:
        choose("tpu", FOUND, "gpu")
    told = str(XlaNoPlatform(missing.value.wanted, missing.value.found))
    assert "jax finds no tpu on this machine, only cpu (1 device), gpu (2 devices)" in told
    assert "hloscope bundle FILE --on tpu -o run.npz records the values" in told
    assert "hloscope compare FILE run.npz" in told


def test_variables_that_hide_devices_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAX_PLATFORMS", "cuda")
    with pytest.raises(NoSuchPlatform):
        choose("device", {}, "")
    assert "no device on this machine, where JAX_PLATFORMS is cuda." in str(XlaNoPlatform("device", {}))


def test_engines_are_named_by_platform_with_flags_behind() -> None:
    found = parse_against("gpu:xla_disable_hlo_passes=cse")
    assert (found.platform, found.overrides) == ("gpu", {"xla_disable_hlo_passes": "cse"})
    assert parse_against("xla").platform == parse_against("cpu").platform == "cpu"
    assert parse_against("jaxlib==0.10.1").jaxlib == "0.10.1"
    assert names_an_engine("device")
    assert not names_an_engine("gpu.npz")


def rounded(array: Any, bits: int) -> Any:
    """The nearest numbers with so many bits behind the leading one."""
    fraction, exponent = np.frexp(array)
    return np.ldexp(np.round(fraction * 2 ** (bits + 1)), exponent - bits - 1).astype(np.float32)


@pytest.mark.parametrize(("platform", "bits"), [("gpu", 10), ("tpu", 7)])
def test_devices_that_multiply_fewer_bits_are_not_wrong(platform: str, bits: int) -> None:
    """TF32 has 10 bits behind the leading one, bf16 has 7."""
    random = np.random.default_rng(0)
    a, b = (random.normal(size=shape).astype(np.float32) for shape in ((8, 64), (64, 8)))
    narrow = rounded(a, bits) @ rounded(b, bits)

    def verdict(text: str, device: Device, found: Any) -> str:
        ours = OurRun(run_ours(text, [a, b], Limits()).recording, device=device)
        return ours.compare([found])[0].kind

    device = device_of(platform)
    assert verdict(PRODUCT, ANY, narrow) == "wrong"
    assert verdict(PRODUCT, device, narrow) == "rounding"
    assert verdict(PRODUCT, device, narrow * np.float32(1.3)) == "wrong"
    for stated in ("HIGHEST, HIGHEST", "DEFAULT, HIGHEST"):
        assert verdict(PRODUCT.replace("DEFAULT, DEFAULT", stated), device, narrow) == "wrong"
    high = PRODUCT.replace("DEFAULT, DEFAULT", "HIGH, HIGH")
    assert verdict(high, device, narrow) == ("rounding" if platform == "gpu" else "wrong")


@pytest.mark.oracle
def test_the_device_of_jax_and_the_cpu_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "f.mlir"
    program.write_text(SQUARE)
    for name in ("cpu", "device"):
        found = hloscope.compare(SQUARE, inputs=[np.ones(3, np.float32)], against=name)
        assert found.is_fine
        assert found.engine.startswith("XLA of jaxlib ")
        assert main(["compare", str(program), "--against", f"{name}:xla_disable_hlo_passes=cse"]) == 0
    capsys.readouterr()


@pytest.mark.oracle
def test_a_machine_without_the_device_says_what_it_has(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """jax reads JAX_PLATFORMS: with it, no machine has a GPU."""
    monkeypatch.setenv("JAX_PLATFORMS", "cpu")
    program = tmp_path / "f.mlir"
    program.write_text(SQUARE)
    assert main(["compare", str(program), "--against", "gpu"]) == 2
    told = capsys.readouterr().err
    assert "jax finds no gpu on this machine, only cpu (1 device), where JAX_PLATFORMS is cpu." in told
    assert "hloscope bundle FILE --on gpu" in told


@pytest.mark.oracle
def test_a_server_lists_the_devices_that_jax_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    import asyncio

    from hloscope.app.base.settings import Settings
    from hloscope.app.comparing import jobs as engine_jobs

    async def listed() -> Any:
        jobs = EngineJobs(Settings(), None, serves_others=False)  # type: ignore[arg-type]
        return await jobs.engines()

    real = asyncio.run(listed())
    assert real["engines"][0]["name"] == "xla"
    found = {"gpu": ["NVIDIA H100"], "cpu": ["cpu"], "interpreter": ["x"]}
    monkeypatch.setattr(engine_jobs, "_platforms", lambda: found)
    assert asyncio.run(listed())["engines"] == [
        {"name": "xla", "devices": ["cpu"]},
        {"name": "gpu", "devices": ["NVIDIA H100"]},
    ]
