"""The page of a function at each stage: an example until a text is pasted, and what is wrong with that text."""

from playwright.sync_api import expect

from tests.browser.conftest import OpenPage


def test_a_text_without_stages_is_refused_until_it_is_gone(open_page: OpenPage) -> None:
    page = open_page("/function")
    field = page.get_by_role("textbox", name="Paste what the program printed")
    field.fill("hello")
    problem = page.locator("#function-problem")
    expect(problem).to_have_text(
        "The text has no line “==== jaxpr”. Paste everything that the program prints."
    )
    field.fill("")
    expect(problem).to_have_text("")
    field.fill("==== Python, from line 3 of f.py\ndef f(x):\n    return x\n")
    lines = page.get_by_role("list", name="Lines of Python")
    expect(lines.get_by_role("listitem")).to_have_count(2)
    field.fill("")
    expect(lines).to_contain_text("softmax")
