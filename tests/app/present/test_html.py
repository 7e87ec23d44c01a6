"""What objects show in notebooks, without scripts: right, escaped, and never large."""

from __future__ import annotations

import base64
import re
import struct
import zlib
from html.parser import HTMLParser
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import hloscope
from hloscope.app.present.html.markup import MOST_CHARACTERS
from hloscope.app.present.html.pictures import heat_map, palette

PROGRAM = """func.func @main(%x: tensor<4x6xf32>) -> tensor<6x4xf32> {
  %0 = stablehlo.add %x, %x : tensor<4x6xf32>
  %1 = stablehlo.log %0 : tensor<4x6xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
  return %2 : tensor<6x4xf32>
}"""
LOOP = """func.func @main() -> tensor<i32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.while(%i = %c) : tensor<i32>
    cond {
      %n = stablehlo.constant dense<2000> : tensor<i32>
      %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j : tensor<i32>
    }
  return %0 : tensor<i32>
}"""
ALLOWED = {
    "br", "caption", "code", "div", "img", "li", "p", "pre", "span", "strong", "table", "tbody", "td", "th",
    "thead", "tr", "ul",
}  # fmt: skip


class Reader(HTMLParser):
    """Fails on elements that are no plain HTML or do not end, and keeps what is read."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text, self.images = "", list[dict[str, str]]()
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ALLOWED, tag
        assert not [name for name, _ in attrs if name.startswith("on")]
        if tag == "img":
            self.images.append({name: value or "" for name, value in attrs})
        elif tag != "br":
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def pixels_of(image: dict[str, str]) -> Any:
    """The picture of an element, decoded: colours, [height, width, 3]."""
    data = base64.b64decode(image["src"].removeprefix("data:image/png;base64,"))
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    chunks, at = {}, 8
    while at < len(data):
        (size,) = struct.unpack(">I", data[at : at + 4])
        name, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + size]
        assert struct.unpack(">I", data[at + 8 + size : at + 12 + size]) == (zlib.crc32(name + body),)
        chunks[name] = body
        at += 12 + size
    width, height = struct.unpack(">II", chunks[b"IHDR"][:8])
    lines = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(height, width + 1)
    return np.frombuffer(chunks[b"PLTE"], np.uint8).reshape(256, 3)[lines[:, 1:]]


def recorded() -> hloscope.Recording:
    return hloscope.record(PROGRAM, [np.linspace(-1, 3, 24, dtype=np.float32).reshape(4, 6)])


def test_a_recording_shows_findings_arguments_and_steps() -> None:
    read = Reader(recorded()._repr_html_())
    assert "first NaN: line 3, log, 6 of 24 elements, where %0 is negative (does harm)" in read.text
    assert "f32[4,6]  -1 … 3  mean 1" in read.text
    assert "%1 = stablehlo.log %0 : tensor<4x6xf32>" in read.text
    assert [image["alt"] for image in read.images][-1] == (
        "picture of f32[6,4]  -2.442 … 1.792  mean 0.7736, 6 NaN"
    )


def test_a_value_shows_its_picture_its_statistics_and_its_numbers() -> None:
    value = recorded()["%1"]
    read = Reader(value._repr_html_())
    assert "%1: tensor<4x6xf32>" in read.text
    assert "made by step 1, stablehlo.log, line 3" in read.text
    assert "elementssmallestlargestmeandeviationzerosNaN24-2.4421.7920.77361.05106" in read.text
    assert "1.7917595" in read.text
    drawn = pixels_of(read.images[0])
    assert drawn.shape == (24, 36, 3)  # cells of 6 x 6 pixels, on which NaN is hatched
    isnan = np.isnan(value.numpy()).repeat(6, 0).repeat(6, 1)
    assert ((drawn == (0xE3, 0x00, 0x2B)).all(axis=-1)[isnan]).mean() == pytest.approx(2 / 3)
    assert not (drawn == (0xE3, 0x00, 0x2B)).all(axis=-1)[~isnan].any()


def test_colours_follow_the_numbers() -> None:
    """Of one sign viridis from the least to the greatest; of both orange below zero and purple above, evenly; else grey."""
    rising = pixels_of(Reader(heat_map(np.array([1.0, 2.0, 3.0]), "")).images[0])
    assert (rising[0] == palette("viridis")[[0, 125, 250]]).all()
    both = pixels_of(Reader(heat_map(np.array([-1.0, 0.0, 2.0]), "")).images[0])
    assert (both[0] == palette("purple-orange")[[63, 125, 250]]).all()
    same = pixels_of(Reader(heat_map(np.zeros(2), "")).images[0])
    assert (same == palette("one")[0]).all()


@pytest.mark.parametrize(
    "array",
    [
        np.float32(0.25),
        np.zeros((0, 3), np.int32),
        np.ones((2, 3, 4), ml_dtypes.bfloat16),
        np.array([True, False]),
        np.arange(5, dtype=np.uint8),
        np.array([1 + 2j, 3j], np.complex64),
        np.array([np.inf, -np.inf, np.nan], np.float32),
        np.full((3, 3), 3e38, np.float32) * np.array([[1], [-1], [1]], np.float32),
        np.broadcast_to(np.float32(1), (1024, 1024)),
    ],
    ids=lambda array: f"{array.dtype}{array.shape}",
)
def test_values_of_each_kind_are_shown(array: Any) -> None:
    names = {"float32": "f32", "int32": "i32", "bfloat16": "bf16", "bool": "i1", "uint8": "ui8"}
    name = names.get(array.dtype.name, "complex<f32>")
    type = "x".join([*map(str, array.shape), name])
    program = f"func.func @main(%x: tensor<{type}>) -> tensor<{type}> {{ return %x : tensor<{type}> }}"
    recording = hloscope.record(program, [array])
    for html in (recording["%x"]._repr_html_(), recording._repr_html_()):
        assert f"tensor<{type}>" in Reader(html).text
        assert len(html) < MOST_CHARACTERS


def test_a_value_that_is_no_tensor_says_so() -> None:
    program = """func.func @main() -> !stablehlo.token {
  %0 = stablehlo.create_token : !stablehlo.token
  return %0 : !stablehlo.token
}"""
    assert "not a tensor" in Reader(hloscope.record(program)["%0"]._repr_html_()).text


def test_a_long_run_shows_its_beginning_and_its_end() -> None:
    recording = hloscope.record(LOOP)
    html = recording._repr_html_()
    read = Reader(html)
    assert f"{len(recording) - 50:,} more steps are not shown here" in read.text
    assert f"{len(recording) - 1:,}" in read.text
    assert len(html) < MOST_CHARACTERS


def test_a_run_that_ends_early_says_why() -> None:
    endless = LOOP.replace("dense<2000>", "dense<2000000000>")
    recording = hloscope.record(endless, limits=hloscope.Limits(run_step_limit=100))
    assert "run_step_limit" in Reader(recording._repr_html_()).text


def test_a_grid_shows_each_process() -> None:
    program = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.all_reduce"(%x) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
  }) {replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}"""
    values = hloscope.Each([np.full(4, number, np.float32) for number in range(3)])
    read = Reader(hloscope.record(program, [values], replicas=3)._repr_html_())
    assert "of 3 processes" in read.text
    assert read.text.count("f32[4]  [3, 3, 3, 3]") >= 3


def test_texts_of_programs_are_escaped() -> None:
    bad = "</pre><script>alert(1)</script><img src=x onerror=alert(1)>"
    program = hloscope.parse(f"// {bad}\n{PROGRAM}", name=bad)
    recording = hloscope.record(program, [np.ones((4, 6), np.float32)])
    for shown in (program, recording):
        html = shown._repr_html_()
        assert "<script" not in html
        assert bad in Reader(html).text


def test_a_program_shows_its_functions_its_ops_and_its_text() -> None:
    read = Reader(hloscope.parse(PROGRAM)._repr_html_())
    assert "StableHLO program <text>, 4 ops" in read.text
    assert "@maintensor<4x6xf32>tensor<6x4xf32>" in read.text
    assert "1 stablehlo.transpose" in read.text
    assert len(hloscope.parse(PROGRAM + "\n//" + "x" * 500_000)._repr_html_()) < MOST_CHARACTERS


def test_maps_show_formulas_and_what_is_read() -> None:
    (maps,) = hloscope.maps(PROGRAM, op="%2")
    read = Reader(maps._repr_html_())
    assert "operand id = 0 (d0, d1) -> (d1, d0), domain: d0 in [0, 5], d1 in [0, 3]" in read.text
    result, operand = map(pixels_of, read.images)
    assert (operand == result.transpose(1, 0, 2)).all()


def test_elements_that_are_read_have_the_colours_of_their_readers() -> None:
    program = """func.func @main(%x: tensor<9xf32>) -> tensor<3xf32> {
  %0 = stablehlo.slice %x [2:7:2] : (tensor<9xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}"""
    (maps,) = hloscope.maps(program)
    result, operand = map(pixels_of, Reader(maps._repr_html_()).images)
    assert operand.shape == (1, 7, 3)
    assert (operand[0, [2, 4, 6]] == result[0]).all()
    assert (operand[0, [0, 1, 3, 5]] == 255).all()


def test_maps_that_only_a_run_knows_have_no_picture() -> None:
    program = """func.func @main(%x: tensor<9xf32>, %i: tensor<i32>) -> tensor<3xf32> {
  %0 = stablehlo.dynamic_slice %x, %i, sizes = [3] : (tensor<9xf32>, tensor<i32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}"""
    (maps,) = hloscope.maps(program)
    assert "rt0" in Reader(maps._repr_html_()).text


def test_maps_of_a_program_are_shown_together_within_a_limit() -> None:
    found = hloscope.maps(PROGRAM)
    assert Reader(found._repr_html_()).text.count("Indexing maps of") == 3
    lines = "".join(
        f"  %{n} = stablehlo.abs %{n - 1 if n else 'x'} : tensor<64x64xf32>\n" for n in range(300)
    )
    many = f"func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {{\n{lines}  return %299 : tensor<64x64xf32>\n}}"
    html = hloscope.maps(many)._repr_html_()
    assert len(html) < MOST_CHARACTERS + 1_000
    assert re.search(r"… and \d+ more", Reader(html).text)
