"""The main job: a JAX program in the browser, stepped in both directions, every tensor what JAX computed."""

import re
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import expect

from tests.browser.conftest import Complaints, Record
from tests.browser.debugger_page import DebuggerPage, text_of
from tests.browser.page_frame import choose_in_menu
from tests.browser.settling import box_of

pytestmark = pytest.mark.main_path

EXPECTED = np.load(Path(__file__).parent.parent / "data" / "mlp.npz")


def _line(words: str) -> int:
    return 1 + next(number for number, line in enumerate(text_of("mlp").splitlines()) if words in line)


CALL = _line("call @relu(")
FIRST_OF_RELU = _line("func.func private @relu(") + 1


def _is_what_jax_computed(shown: NDArray[np.float32], name: str) -> None:
    expected = EXPECTED[name]
    assert shown.shape == expected.shape
    assert np.abs(shown - expected).max() <= 1e-5 * np.abs(expected).max()


@pytest.fixture
def mlp(record: Record) -> DebuggerPage:
    return record(text_of("mlp"))


def test_stepping_the_mlp_shows_what_jax_computed(mlp: DebuggerPage) -> None:
    page = mlp.page
    mlp.toggle_breakpoint(CALL)
    mlp.press("F5")
    mlp.at_line(CALL)
    mlp.stopped("breakpoint")
    call_step = mlp.step

    mlp.choose_variable("%3", "Operands")
    _is_what_jax_computed(mlp.shown_array(), "pre_activation")

    mlp.press("F11")
    mlp.at_line(FIRST_OF_RELU)
    mlp.at_step(call_step + 1)
    mlp.press("F11")
    mlp.press("F11")
    mlp.choose_variable("%1", "Results")
    _is_what_jax_computed(mlp.shown_array(), "relu")
    assert np.allclose(mlp.shown_numbers(3, 3), EXPECTED["relu"][:3, :3], rtol=1e-4, atol=1e-5)

    mlp.press("Shift+F11")
    mlp.at_line(CALL + 1)
    choose_in_menu(page, "More ways to step", "Step back over")
    mlp.at_line(CALL)
    mlp.at_step(call_step)

    timeline = page.get_by_role("slider", name="Timeline")
    timeline.press("End")
    mlp.stopped("The program has finished")
    for _ in range(2):
        timeline.press("ArrowLeft")
    mlp.choose_variable("%24", "Results")
    _is_what_jax_computed(mlp.shown_array(), "out_0")
    box = box_of(timeline)
    page.mouse.click(box["x"] + 1, box["y"] + box["height"] / 2)
    mlp.at_step(0)


def test_step_keys_never_wait_for_the_server(mlp: DebuggerPage, complaints: Complaints) -> None:
    """With the server out of reach, the recorded part is still stepped, both ways."""
    complaints.allow("ERR_INTERNET_DISCONNECTED")
    page = mlp.page
    page.context.set_offline(True)
    for expected in range(1, 12):
        mlp.press("F11")
        mlp.at_step(expected)
    for expected in range(10, -1, -1):
        page.get_by_role("slider", name="Timeline").press("ArrowLeft")
        mlp.at_step(expected)
    page.context.set_offline(False)
    # The address names the step.
    for _ in range(6):
        mlp.press("F11")
    expect(mlp.page).to_have_url(re.compile("step=6"))
    mlp.page.reload()
    mlp.wait_until_recorded()
    mlp.at_line(FIRST_OF_RELU + 1)
    mlp.at_step(6)
