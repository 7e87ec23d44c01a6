"""The picture of the layers, docs/layers.svg."""

from tests.layers_picture import PICTURE, condensed, levels, picture, reduced


def test_arrows() -> None:
    graph = {"a": {"b", "c"}, "b": {"c"}, "c": {"d"}, "d": {"c"}, "e": set[str]()}
    joined = condensed(graph)
    assert joined == {"a": {"b", "c · d"}, "b": {"c · d"}, "c · d": set(), "e": set()}
    assert levels(joined) == {"a": 2, "b": 1, "c · d": 0, "e": 0}
    assert reduced(joined)["a"] == {"b"}


def test_the_picture_in_the_documents_is_current() -> None:
    """`python -m tests.layers_picture` draws it again."""
    assert PICTURE.read_text() == picture()
