"""The debugger in a cell: stepped there and from Python, in a page that carries messages as Jupyter and marimo do."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import FrameLocator, Page, Route, expect

import hloscope
from hloscope.app.base.assets import folder
from hloscope.app.python.notebook.cell import Cell, CellContent
from tests.browser.conftest import Check, NewPage
from tests.server_process import make_bundle

PROGRAM = """func.func @main(%x: tensor<4x6xf32>) -> tensor<6x4xf32> {
  %0 = stablehlo.add %x, %x : tensor<4x6xf32>
  %1 = stablehlo.log %0 : tensor<4x6xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
  return %2 : tensor<6x4xf32>
}"""
ORIGIN = "http://notebook.test/"
MODEL = """async (place) => {
    const {default: widget} = await import("/widget.js");
    const listeners = {}, state = {height: 600, ...place}, {postMessage} = MessagePort.prototype;
    window.placesSent = 0;
    MessagePort.prototype.postMessage = function (message, ...rest) {
        if (message.kind === "place") window.placesSent += 1;
        return postMessage.call(this, message, ...rest);
    };
    const emit = (name, ...said) => (listeners[name] ?? []).forEach((listener) => listener(...said));
    const view = (text) => new DataView(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer);
    const model = {
        get: (name) => state[name], set: (name, value) => { state[name] = value; },
        save_changes: () => { window.place = {position: state.position, process: state.process, selection: state.selection}; },
        on: (name, listener) => (listeners[name] ??= []).push(listener), off: () => {},
        send: async (content) => {
            const answer = await window.kernel(content);
            if (answer) emit("msg:custom", answer[0], [view(answer[1])]);
        },
    };
    window.kernelMoves = (moved) => { Object.assign(state, moved); Object.keys(moved).forEach((name) => emit(`change:${name}`)); };
    widget.render({model, el: document.getElementById("cell")});
}"""
"""What anywidget gives to a widget's script."""


class Notebook:
    """A page with a cell that shows a recording."""

    def __init__(self, page: Page, recording: hloscope.Recording, style: str = "") -> None:
        self.page, self.asked = page, list[str]()
        self.cell = Cell(CellContent(recording, "main", recording._repr_html_, recording._value_at))
        page.expose_function("kernel", self._receive)
        page.route(f"{ORIGIN}**", lambda route: self._serve(route, style))
        page.goto(ORIGIN)
        page.evaluate(MODEL, {"position": 0, "process": 0, "selection": None})
        self.frame: FrameLocator = page.frame_locator("iframe[title=hloscope]")
        expect(self.frame.locator(".where .count")).to_contain_text("step 0 of")

    def _receive(self, content: dict[str, Any]) -> tuple[dict[str, Any], str] | None:
        self.asked.append(content.get("path", ""))
        answer = self.cell.receive(content)
        return answer and (answer[0], b64encode(answer[1]).decode())

    def _serve(self, route: Route, style: str) -> None:
        if route.request.url.endswith("widget.js"):
            script = (folder("static") / "js" / "notebook" / "widget.js").read_text("utf-8")
            route.fulfill(body=script, content_type="text/javascript")
        else:
            body = f'<!doctype html><html lang="en"><title>notebook</title><body style="{style}"><main><h1>Notebook</h1><div id="cell"></div></main>'
            route.fulfill(body=body, content_type="text/html")

    def wait_for(self, **place: Any) -> dict[str, Any]:
        """What the kernel has been told once it is so."""
        self.page.wait_for_function(
            "(place) => Object.entries(JSON.parse(place)).every(([name, value]) => JSON.stringify(window.place?.[name]) === JSON.stringify(value))",
            arg=json.dumps(place),
        )
        found: dict[str, Any] = self.page.evaluate("window.place")
        return found


@pytest.fixture
def notebook(new_page: NewPage) -> Callable[..., Notebook]:
    make_bundle()

    def show(recording: hloscope.Recording, style: str = "") -> Notebook:
        return Notebook(new_page(), recording, style)

    return show


def recorded() -> hloscope.Recording:
    return hloscope.record(PROGRAM, [np.linspace(-1, 3, 24, dtype=np.float32).reshape(4, 6)])


@pytest.mark.main_path
def test_the_cell_and_python_move_each_other(notebook: Callable[..., Notebook], axe: Check) -> None:
    """The frame is sandboxed without the notebook's origin, all that it shows comes by messages, and it is as dark."""
    shown = notebook(recorded(), style="background: #111; color: #eee")
    expect(shown.frame.locator("html")).to_have_attribute("data-theme", "dark")
    assert shown.page.locator("iframe").get_attribute("sandbox") == "allow-scripts allow-downloads"
    assert shown.page.frames[1].evaluate("origin") == "null"
    axe(shown.page)
    shown.frame.get_by_role("button", name="over").first.click()
    told = shown.wait_for(position=1)
    assert told["selection"]["name"] == "%1"
    place = shown.cell.place_of("%1", (1, 2))
    shown.page.evaluate("(place) => window.kernelMoves(place)", place)
    assert shown.page.evaluate("window.placesSent") == 1
    expect(shown.frame.locator(".where .count")).to_contain_text("step 2 of 4")
    expect(shown.frame.locator("output", has_text="%1[1, 2] = -0.24512246")).to_be_visible()
    shown.frame.get_by_role("button", name="back").first.click()
    told = shown.wait_for(position=1)
    assert told["selection"]["name"] == "%1"
    assert any("/window?" in path for path in shown.asked)


def test_processes_of_a_grid_are_shown(notebook: Callable[..., Notebook]) -> None:
    program = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.abs %x : tensor<4xf32>
  %1 = "stablehlo.all_reduce"(%0) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}"""
    values = hloscope.Each([np.full(4, 1.5 + number, np.float32) for number in range(2)])
    shown = notebook(hloscope.record(program, [values], replicas=2))
    second = hloscope.Address.parse("1.s0.0")
    shown.page.evaluate("(place) => window.kernelMoves(place)", shown.cell.place_of(second, (3,)))
    expect(shown.frame.get_by_text("step 1 of")).to_be_visible()
    expect(shown.frame.locator("output", has_text="%0[3] = 2.5")).to_be_visible()
    shown.frame.get_by_role("button", name="over").first.click()
    shown.wait_for(process=1, position=2)
