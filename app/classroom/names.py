"""Anonymous names of members: colour, animal and number, ordered by room."""

from __future__ import annotations

from hashlib import sha256

COLOURS = (
    "amber", "aqua", "blue", "bronze", "coral", "cyan", "gold", "green", "grey", "indigo", "ivory", "jade", "lilac",
    "lime", "orange", "pearl", "pink", "plum", "red", "ruby", "silver", "teal", "violet", "yellow",
)  # fmt: skip
ANIMALS = (
    "badger", "bat", "bear", "beaver", "bison", "camel", "crane", "deer", "dolphin", "eagle", "falcon", "finch",
    "fox", "gecko", "goat", "hare", "hawk", "heron", "horse", "ibis", "koala", "lark", "lemur", "lion", "llama",
    "lynx", "mole", "moose", "newt", "otter", "owl", "panda", "puffin", "quail", "raven", "robin", "salmon", "seal",
    "stork", "swan", "tapir", "tiger", "trout", "turtle", "vole", "whale", "wolf", "zebra",
)  # fmt: skip
TEACHER, SCREEN = "teacher", "screen"


def name_of(room: str, number: int) -> str:
    """The name of a room's member by their number, from 1, such as `teal otter 14`."""
    digest = sha256(room.encode()).digest()
    colour = (digest[0] + 7 * number) % len(COLOURS)
    animal = (digest[1] + 11 * number + number // len(COLOURS)) % len(ANIMALS)
    return f"{COLOURS[colour]} {ANIMALS[animal]} {number}"
