"""The playground: what one types changes the picture, what is wrong is marked, a link says it all."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Check, NewPage, OpenPage
from tests.browser.debugger_page import sign_in
from tests.browser.index_map_page import grid, hover
from tests.browser.settling import box_of, settle
from tests.server_process import Server

PICTURE = "Index map"


PASTE = """(text) => {
    const data = new DataTransfer();
    data.setData("text", text);
    const event = new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true });
    document.activeElement.dispatchEvent(event);
}"""


def opened(open_page: OpenPage, op: str = "", preset: str = "") -> Page:
    page = open_page(f"/playground{'/' if op else ''}{op}")
    drawn(page)
    if preset:
        page.get_by_role("group", name="Examples").get_by_role("button", name=preset, exact=True).click()
        drawn(page)
    return page


def drawn(page: Page) -> None:
    expect(page.get_by_role("article", name=PICTURE)).to_be_visible()
    expect(page.locator(".play-stage")).to_have_attribute("aria-busy", "false")


def picture(page: Page) -> Locator:
    return page.get_by_role("article", name=PICTURE)


def field(page: Page, name: str) -> Locator:
    return page.locator(f'[data-field="{name}"]').first


@pytest.mark.main_path
def test_typing_changes_the_picture(open_page: OpenPage) -> None:
    page = opened(open_page, "gather", "Rows of a table")
    expect(picture(page)).to_contain_text("⇒ %operand[3, 0]")
    page.get_by_label("start_indices[0, 0]").fill("5")
    expect(picture(page)).to_contain_text("⇒ %operand[5, 0]")
    page.get_by_label("start_indices[0, 0]").fill("99")
    expect(picture(page)).to_contain_text("⇒ %operand[5, 0]")  # clamped
    page.get_by_label("Size of dimension 1 of operand").fill("6")
    page.get_by_label("slice_sizes of dimension 1").fill("6")
    expect(picture(page)).to_contain_text("tensor<5x6xi32>")
    page.get_by_label("Element type of operand").select_option("f32")
    expect(picture(page)).to_contain_text("tensor<5x6xf32>")


@pytest.mark.main_path
def test_what_is_wrong_is_marked_and_the_picture_stays(open_page: OpenPage, axe: Check) -> None:
    page = opened(open_page, "gather", "Rows of a table")
    wrong = page.get_by_label("index_vector_dim")
    wrong.fill("9")
    expect(wrong).to_have_attribute("aria-invalid", "true")
    problem = field(page, "index_vector_dim").locator(".problem")
    expect(problem).to_contain_text("C2 index_vector_dim 9 is outside [0, 2]")
    assert wrong.get_attribute("aria-describedby") == problem.get_attribute("id")
    expect(problem.get_by_role("link", name="C2")).to_have_attribute("href", "/ops/stablehlo.gather#C2")
    expect(picture(page)).to_contain_text("This picture is the last valid one.")
    expect(picture(page)).to_contain_text("⇒ %operand[3, 0]")
    axe(page)
    wrong.fill("1")
    expect(wrong).not_to_have_attribute("aria-invalid", "true")
    expect(picture(page)).not_to_contain_text("This is the last picture")

    # A rule of several fields is told at the one that was changed.
    opened(open_page, "dot_general")
    page.get_by_label("Size of dimension 1 of lhs").fill("7")
    expect(field(page, "lhs").locator(".problem")).to_contain_text("C10")
    expect(page.locator('[data-field="rhs"]')).to_have_class(re.compile("involved"))
    page.get_by_label("Size of dimension 0 of rhs").fill("7")
    expect(page.locator(".problem")).to_have_count(0)

    # What is not filled in is told without a request.
    opened(open_page, "pad", "The worked example")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.get_by_label("edge_padding_low of dimension 0").fill("")
    expect(field(page, "edge_padding_low").locator(".problem")).to_have_text("A number is missing.")
    page.get_by_label("Size of dimension 0 of operand").fill("")
    expect(field(page, "operand").locator(".problem")).to_have_text("Each size must be a whole number.")
    settle(page)  # asked would be a moment after the last letter
    assert not [url for url in asked if "/api/playground" in url]


def test_a_link_is_copied_and_opens_the_same_form(
    open_page: OpenPage, server: Server, new_page: NewPage
) -> None:
    page = opened(open_page, "scatter", "Windows, cut off at the edge")
    page.get_by_label("scatter_indices[1, 1]").fill("-7")
    page.get_by_label("update_computation").select_option("maximum")
    page.get_by_label("Values of inputs").select_option("iota")
    expect(page).to_have_url(re.compile("update_computation=maximum"))
    drawn(page)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Share").click()
    expect(page.get_by_text("The link is copied.")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == page.url
    other = new_page()
    sign_in(other, server)
    other.goto(page.url)
    drawn(other)
    expect(other.get_by_label("scatter_indices[1, 1]")).to_have_value("-7")
    expect(other.get_by_label("update_computation")).to_have_value("maximum")
    expect(other.get_by_label("Values of inputs")).to_have_value("iota")
    assert (
        other.locator(".program-text code").text_content()
        == page.locator(".program-text code").text_content()
    )
    open_page("/playground/pad#operand=2x2xnothing&edge_padding_low=1,1")
    expect(page.get_by_role("alert").first).to_contain_text("values for operand do not fit this op")
    expect(page.get_by_label("edge_padding_low of dimension 0")).to_have_value("1")


def test_back_takes_changes_back(open_page: OpenPage) -> None:
    page = opened(open_page, "transpose", "A matrix")
    size = page.get_by_label("Size of dimension 0 of operand")
    size.fill("4")
    size.fill("42")
    page.get_by_label("permutation", exact=True).fill("0, 1")
    expect(picture(page)).to_contain_text("tensor<42x5xi32>")
    page.go_back()
    expect(page.get_by_label("permutation", exact=True)).to_have_value("1, 0")
    expect(size).to_have_value("42")
    page.go_back()  # what was typed into one field is one change
    expect(size).to_have_value("3")
    page.go_back()
    expect(page.get_by_label("permutation", exact=True)).to_have_value("2, 0, 1")
    page.go_forward()
    expect(page.get_by_label("permutation", exact=True)).to_have_value("1, 0")
    drawn(page)


def test_ops_are_found_by_what_one_types_and_lead_to_their_pages(open_page: OpenPage, axe: Check) -> None:
    page = opened(open_page)
    expect(page.get_by_role("heading", level=1)).to_contain_text("stablehlo.gather")
    expect(picture(page)).to_contain_text("tensor<4xi32>")
    expect(picture(page)).to_contain_text("%result[0] reads 1 of 5 elements of %operand: [")
    expect(page.get_by_role("link", name="Playground", exact=True)).to_be_visible()

    page.get_by_role("button", name="stablehlo.gather").press("Enter")
    dialog = page.get_by_role("dialog", name="Choose an op")
    expect(dialog).to_be_visible()
    axe(page, "dialog")
    search = dialog.get_by_label("Find")
    expect(search).to_be_focused()
    search.fill("reduce_w")
    expect(dialog.get_by_role("link", name="reduce_window")).to_be_visible()
    expect(dialog.get_by_role("link")).to_have_count(1)
    search.press("Enter")
    expect(page).to_have_url(re.compile("/playground/reduce_window$"))
    expect(page).to_have_title(re.compile("stablehlo.reduce_window"))
    drawn(page)
    expect(picture(page)).to_contain_text("%inputs")
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_contain_text("stablehlo.gather")
    drawn(page)
    expect(picture(page)).to_contain_text("%start_indices")

    page.get_by_role("link", name="About the op").click()
    expect(page).to_have_url(re.compile("/ops/stablehlo.gather$"))
    page.get_by_role("link", name="Try it in the playground").click()
    expect(page).to_have_url(re.compile("/playground/gather$"))
    open_page("/playground/while")
    expect(page.locator("#playground").get_by_text("It reads what its bodies read")).to_be_visible()
    page.get_by_role("button", name="stablehlo.while").click()
    expect(page.get_by_role("dialog").get_by_text("A token has no elements.").first).to_be_visible()


def test_all_of_it_by_keyboard(open_page: OpenPage) -> None:
    page = opened(open_page, "gather", "Single elements")
    size = page.get_by_label("Size of dimension 0 of operand")
    size.focus()
    page.keyboard.press("ArrowUp")
    expect(size).to_have_value("5")
    expect(picture(page)).to_contain_text("tensor<5x5xi32>")
    cell = page.get_by_label("start_indices[0, 0]")
    cell.focus()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_label("start_indices[1, 0]")).to_be_focused()
    page.keyboard.type("4")
    expect(page.get_by_label("start_indices[1, 0]")).to_have_value("4")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_label("start_indices[1, 1]")).to_be_focused()
    chip = field(page, "collapsed_slice_dims").get_by_role("button", name="d1")
    chip.focus()
    page.keyboard.press("Space")
    expect(page.get_by_label("collapsed_slice_dims", exact=True)).to_have_value("0")
    expect(chip).to_be_focused()
    expect(field(page, "collapsed_slice_dims").locator(".problem")).to_be_visible()


@pytest.mark.main_path
def test_it_opens_in_the_debugger(open_page: OpenPage) -> None:
    page = opened(open_page, "reduce", "Position of the largest")
    page.get_by_role("button", name="Open in the debugger").click()
    page.wait_for_url(re.compile("/s/"))
    expect(page.locator(".cm-line", has_text="reduce %").first).to_be_visible()


KINDS = (
    "convolution",
    "triangular_solve",
    "einsum",
    "rng",
    "sort",
    "uniform_quantize",
    "batch_norm_grad",
    "all_to_all",
)


def test_forms_of_many_kinds_on_a_narrow_page(page: Page, open_page: OpenPage, axe: Check) -> None:
    page.set_viewport_size({"width": 420, "height": 800})
    for op in KINDS:
        opened(open_page, op)
        expect(page.locator(".problem")).to_have_count(0)
        expect(picture(page)).to_contain_text("%result")
        assert page.evaluate("document.documentElement.scrollWidth") <= 420, op
    axe(page)
    head, first = (box_of(page.locator(place)) for place in (".op-choice", ".play-actions button >> nth=0"))
    assert head["x"] == first["x"]
    page.get_by_role("button", name="To the picture").click()
    expect(page.get_by_role("group", name="Operands", exact=True)).to_be_in_viewport()
    page.evaluate("localStorage.setItem('hloscope.theme', 'dark')")
    opened(open_page, "gather")
    page.get_by_label("index_vector_dim").fill("9")
    expect(page.locator(".problem")).to_be_visible()
    axe(page)


def test_operands_are_added_and_pasted_and_processes_meet(open_page: OpenPage) -> None:
    """Which other fields change with them is tested in tests/js/playground.test.mjs."""
    page = opened(open_page, "concatenate", "Side by side")
    page.get_by_role("button", name="Add to inputs").click()
    expect(picture(page)).to_contain_text("tensor<2x7xi32>")
    page.get_by_label("Size of dimension 0 of inputs[0]").focus()
    page.evaluate(PASTE, "tensor<2x5xf32>")
    expect(page.get_by_label("Size of dimension 1 of inputs[0]")).to_have_value("5")

    opened(open_page, "collective_permute", "In a ring")
    group = page.get_by_role("group", name="Process, as replica and partition")
    group.get_by_role("button", name="(1, 0)").click()
    expect(picture(page)).to_contain_text("in process (0, 0)")


def test_large_tensors_have_a_picture(open_page: OpenPage) -> None:
    page = open_page("/playground/dot_general#lhs=4096x4096xf32:random&rhs=4096x4096xf32:random")
    drawn(page)
    expect(picture(page)).to_contain_text(
        "%result[0, 0] reads 4,096 of 16,777,216 elements of %lhs: [0, 0…4095]."
    )
    expect(picture(page)).to_contain_text("playground_elements")
    told = page.locator(".play-untold")
    expect(told).to_contain_text(
        "%lhs, %rhs and %result have more than 16,384 elements: their values are not sent"
    )
    expect(told.get_by_role("link")).to_have_attribute("href", "/-/settings")


def test_a_film_accumulates_goes_back_and_is_saved(open_page: OpenPage, axe: Check) -> None:
    page = opened(open_page, "dot_general")
    bar = page.get_by_role("group", name="Elements of %result, one after another")
    line = picture(page).locator(".arithmetic")
    expect(line).to_have_text("1·1 + 2·6 + 3·2 + 4·7 = 47")
    film = picture(page).locator("canvas.film")
    expect(film).to_be_hidden()
    following, before = (bar.get_by_role("button", name=f"{name} movement") for name in ("Next", "Previous"))
    for _ in range(5):  # four products, and the first of the next element
        following.click()
    expect(film).to_be_visible()
    expect(bar.locator(".count")).to_have_text("2 of 15")
    expect(line).to_contain_text("= 57")
    before.click()
    before.click()
    expect(bar.locator(".count")).to_have_text("1 of 15")
    axe(page, ".play-picture")
    bar.get_by_role("combobox").select_option("32")
    bar.get_by_role("button", name="Play", exact=True).click()
    expect(bar.locator(".count")).to_have_text("15 of 15")
    expect(bar.get_by_role("button", name="Play", exact=True)).to_be_visible()
    bar.get_by_role("button", name="Save the film").click()
    with page.expect_download() as saved:
        page.get_by_role("menuitem", name="Animated SVG").click()
    text = saved.value.path().read_text()
    # Four products for each of the 15 elements, two factors each; a cover for each element of the result.
    assert text.count("<animateTransform") == 120
    page.emulate_media(reduced_motion="reduce")
    bar.get_by_role("button", name="Play backwards").click()
    expect(bar.locator(".count")).to_have_text("1 of 15")
    bar.get_by_role("button", name="Whole result").click()
    expect(film).to_be_hidden()
    expect(picture(opened(open_page, "maximum")).locator(".arithmetic")).to_have_text("max(1, 5) = 5")


def _drag(
    page: Page, name: str, shape: tuple[int, int], cells: list[tuple[int, int]], *, shift: bool = False
) -> None:
    """Drags with the mouse from the first cell to the last one, through the others."""
    for number, (row, column) in enumerate(cells):
        hover(page, name, row, column, *shape)
        if number == 0:
            if shift:
                page.keyboard.down("Shift")
            page.mouse.down()
    page.mouse.up()
    if shift:
        page.keyboard.up("Shift")
    drawn(page)


def _values(page: Page, *labels: str) -> list[str]:
    return [page.get_by_label(label, exact=True).first.input_value() for label in labels]


def test_integers_are_dragged_in_the_picture_and_moved_by_keys(open_page: OpenPage, axe: Check) -> None:
    page = opened(open_page, "dynamic_slice", "Moved inside")
    starts = [f"start_indices of dimension {d}" for d in (0, 1)]
    assert _values(page, *starts) == ["1", "5"]
    page.get_by_role("button", name="Drag to move").click()
    expect(picture(page)).to_contain_text("Alt with the arrow keys does the same.")
    axe(page, ".play-picture")
    _drag(page, "%operand", (4, 6), [(1, 3), (2, 2), (2, 1)])
    assert _values(page, *starts) == ["2", "3"]
    page.mouse.move(0, 0)
    expect(picture(page)).to_contain_text("⇒ %operand[2, 3]")
    # One entry of the history for the whole drag; Back takes it back.
    page.go_back()
    drawn(page)
    assert _values(page, *starts) == ["1", "5"]
    grid(page, "%operand").focus()
    page.keyboard.press("Alt+ArrowLeft")
    page.keyboard.press("Alt+ArrowDown")
    expect(page.get_by_label(starts[1])).to_have_value("4")
    assert _values(page, *starts) == ["2", "4"]
    page.keyboard.press("Alt+Shift+ArrowUp")
    expect(page.get_by_label("slice_sizes of dimension 0", exact=True).first).to_have_value("1")

    opened(open_page, "slice", "The worked example")
    page.get_by_role("button", name="Drag to move").click()
    _drag(page, "%operand", (3, 4), [(1, 2), (0, 1), (0, 0)])
    ends = [f"{name} of dimension {d}" for name in ("start_indices", "limit_indices") for d in (0, 1)]
    assert _values(page, *ends) == ["0", "0", "2", "2"]
    _drag(page, "%operand", (3, 4), [(1, 1), (1, 2)], shift=True)
    assert _values(page, *ends) == ["0", "0", "2", "3"]

    opened(open_page, "gather", "Rows of a table")
    page.get_by_role("button", name="Drag to move").click()
    page.mouse.move(0, 0)
    expect(picture(page)).to_contain_text("⇒ %operand[3, 0]")
    grid(page, "%operand").focus()
    page.keyboard.press("Alt+ArrowUp")
    expect(picture(page)).to_contain_text("⇒ %operand[2, 0]")

    opened(open_page, "pad", "The worked example")
    page.get_by_role("button", name="Drag to move").click()
    _drag(page, "%result", (5, 9), [(0, 1), (1, 1)])
    padding = [f"edge_padding_{side} of dimension 0" for side in ("low", "high")]
    assert _values(page, *padding) == ["1", "1"]

    opened(open_page, "reduce_window", "Pooling")
    page.get_by_role("button", name="Drag to move").click()
    hover(page, "%result", 0, 1, 2, 3)
    page.mouse.down()
    page.mouse.up()
    _drag(page, "%inputs", (4, 6), [(0, 2), (0, 3), (0, 4)])
    assert _values(page, "window_strides of dimension 1") == ["4"]
