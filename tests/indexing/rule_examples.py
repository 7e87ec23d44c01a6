"""Maps before and after simplification, at least one per rule (docs/index-maps.md, "The simplifier")."""

from __future__ import annotations

# Rule, map and simplified map.
EXAMPLES: list[tuple[str, str, str]] = [
    (
        "constant folding",
        "(d0, d1) -> (d0 + d1 / 8), domain: d0 in [0, 8], d1 in [0, 7]",
        "(d0, d1) -> (d0), domain: d0 in [0, 8], d1 in [0, 7]",
    ),
    (
        "order of terms",
        "(d0)[s0] -> (d0 + s0 * 3), domain: d0 in [0, 8], s0 in [0, 7]",
        "(d0)[s0] -> (s0 * 3 + d0), domain: d0 in [0, 8], s0 in [0, 7]",
    ),
    ("only one value", "(d0) -> (d0 / 9), domain: d0 in [0, 8]", "(d0) -> (0), domain: d0 in [0, 8]"),
    (
        "positive divisor",
        "(d0) -> (d0 / -3), domain: d0 in [0, 8]",
        "(d0) -> (-d0 / 3), domain: d0 in [0, 8]",
    ),
    (
        "positive divisor",
        "(d0) -> (d0 mod -3), domain: d0 in [0, 8]",
        "(d0) -> (d0 mod 3), domain: d0 in [0, 8]",
    ),
    (
        "rounded up",
        "(d0) -> (d0 ceildiv 4), domain: d0 in [0, 8]",
        "(d0) -> ((d0 + 3) / 4), domain: d0 in [0, 8]",
    ),
    (
        "rounded up",
        "(d0) -> (d0 ceildiv -4), domain: d0 in [0, 8]",
        "(d0) -> ((-d0 + 3) / 4), domain: d0 in [0, 8]",
    ),
    (
        "rounded up",
        "(d0) -> (d0), domain: d0 in [0, 99], (d0 mod 12) ceildiv 4 in [2, 3]",
        "(d0) -> (d0), domain: d0 in [0, 99], d0 mod 12 in [5, 11]",
    ),
    (
        "distribution",
        "(d0, d1) -> ((d0 + 1) * d1), domain: d0 in [0, 8], d1 in [0, 7]",
        "(d0, d1) -> (d0 * d1 + d1), domain: d0 in [0, 8], d1 in [0, 7]",
    ),
    (
        "multiples of the modulus",
        "(d0, d1) -> ((d0 * 16 + d1 - 13) mod 8), domain: d0 in [0, 8], d1 in [0, 9]",
        "(d0, d1) -> ((d1 + 3) mod 8), domain: d0 in [0, 8], d1 in [0, 9]",
    ),
    (
        "multiples of the modulus",
        "(d0, d1) -> ((d0 + min(d1 * 8, 16)) mod 8), domain: d0 in [0, 8], d1 in [0, 9]",
        "(d0, d1) -> (d0 mod 8), domain: d0 in [0, 8], d1 in [0, 9]",
    ),
    (
        "known remainder",
        "(d0, d1) -> ((d0 * 2 + d1) mod 4), domain: d0 in [0, 9], d1 in [0, 9], d0 mod 2 in [1, 1]",
        "(d0, d1) -> ((d1 + 2) mod 4), domain: d0 in [1, 9], d1 in [0, 9], d0 mod 2 in [1, 1]",
    ),
    (
        "one period",
        "(d0) -> (d0 mod 42), domain: d0 in [53, 71]",
        "(d0) -> (d0 - 42), domain: d0 in [53, 71]",
    ),
    ("one period", "(d0) -> (d0 mod 5), domain: d0 in [-5, -1]", "(d0) -> (d0 + 5), domain: d0 in [-5, -1]"),
    (
        "remainder of a remainder",
        "(d0) -> (d0 mod 12 mod 4), domain: d0 in [0, 99]",
        "(d0) -> (d0 mod 4), domain: d0 in [0, 99]",
    ),
    (
        "small part of a remainder",
        "(d0, d1) -> ((d0 * 4 + d1) mod 8), domain: d0 in [0, 8], d1 in [0, 3]",
        "(d0, d1) -> ((d0 mod 2) * 4 + d1), domain: d0 in [0, 8], d1 in [0, 3]",
    ),
    (
        "small part of a remainder",
        "(d0) -> ((d0 * 4) mod 12), domain: d0 in [0, 8]",
        "(d0) -> ((d0 mod 3) * 4), domain: d0 in [0, 8]",
    ),
    (
        "remainder of a quotient",
        "(d0, d1) -> (((d0 * 48 + d1) / 32) mod 6), domain: d0 in [0, 63], d1 in [0, 47]",
        "(d0, d1) -> (((d0 mod 4) * 48 + d1) / 32), domain: d0 in [0, 63], d1 in [0, 47]",
    ),
    (
        "multiples of the divisor",
        "(d0, d1) -> ((d0 * 16 + d1 - 13) / 8), domain: d0 in [0, 8], d1 in [0, 9]",
        "(d0, d1) -> (d0 * 2 + (d1 + 3) / 8 - 2), domain: d0 in [0, 8], d1 in [0, 9]",
    ),
    (
        "quotient of a remainder",
        "(d0) -> (d0 mod 12 / 4), domain: d0 in [0, 99]",
        "(d0) -> ((d0 / 4) mod 3), domain: d0 in [0, 99]",
    ),
    (
        "quotient of a quotient",
        "(d0) -> (d0 / 12 / 4), domain: d0 in [0, 99]",
        "(d0) -> (d0 / 48), domain: d0 in [0, 99]",
    ),
    (
        "small part of a dividend",
        "()[s0] -> ((s0 * 6 + 9) / 18), domain: s0 in [0, 99]",
        "()[s0] -> ((s0 + 1) / 3), domain: s0 in [0, 99]",
    ),
    (
        "quotient inside a dividend",
        "(d0, d1) -> ((d0 / 4 + d1) / 6), domain: d0 in [0, 99], d1 in [0, 9]",
        "(d0, d1) -> ((d1 * 4 + d0) / 24), domain: d0 in [0, 99], d1 in [0, 9]",
    ),
    (
        "quotient and remainder meet",
        "()[s0] -> ((s0 * 128) mod 715 + ((s0 * 128) / 715) * 715), domain: s0 in [0, 127]",
        "()[s0] -> (s0 * 128), domain: s0 in [0, 127]",
    ),
    (
        "quotient and remainder meet",
        "(d0, d1) -> (((d1 * 2 + d0 / 64) mod 3) * 256 + (d0 mod 64) * 4 + ((d1 * 128 + d0) / 192) * 768), "
        "domain: d0 in [0, 127], d1 in [0, 3071]",
        "(d0, d1) -> (d0 * 4 + d1 * 512), domain: d0 in [0, 127], d1 in [0, 3071]",
    ),
    (
        "neighbouring digits join",
        "(d0) -> (((d0 / 4) mod 6) * 4 + d0 mod 4), domain: d0 in [0, 99]",
        "(d0) -> (d0 mod 24), domain: d0 in [0, 99]",
    ),
    (
        "quotient meets a dividend",
        "(d0, d1) -> ((d0 / 6) * 4 + ((d0 mod 6) * 2 + d1) / 3), domain: d0 in [0, 99], d1 in [0, 1]",
        "(d0, d1) -> ((d0 * 2 + d1) / 3), domain: d0 in [0, 99], d1 in [0, 1]",
    ),
    (
        "quotient subtracted",
        "(d0) -> (d0 - (d0 / 7) * 7), domain: d0 in [0, 99]",
        "(d0) -> (d0 mod 7), domain: d0 in [0, 99]",
    ),
    (
        "quotient subtracted",
        "(d0, d1) -> (d1 - (d0 / 7) * 14), domain: d0 in [0, 99], d1 in [0, 9]",
        "(d0, d1) -> ((d0 mod 7) * 2 - d0 * 2 + d1), domain: d0 in [0, 99], d1 in [0, 9]",
    ),
    (
        "decided minimum or maximum",
        "(d0, d1) -> (min(d0 + d1, d0 + 9), max(d0, 20)), domain: d0 in [0, 8], d1 in [0, 9]",
        "(d0, d1) -> (d0 + d1, 20), domain: d0 in [0, 8], d1 in [0, 9]",
    ),
    (
        "minimum of a minimum",
        "(d0, d1) -> (min(5, min(d0, 7), d1)), domain: d0 in [0, 8], d1 in [0, 9]",
        "(d0, d1) -> (min(min(d0, d1), 5)), domain: d0 in [0, 8], d1 in [0, 9]",
    ),
    (
        "constant moved",
        "(d0, d1) -> (), domain: d0 in [0, 8], d1 in [0, 9], d0 + d1 - 3 in [1, 2]",
        "(d0, d1) -> (), domain: d0 in [0, 8], d1 in [0, 9], d0 + d1 in [4, 5]",
    ),
    (
        "factor divided out",
        "(d0) -> (), domain: d0 in [0, 8], d0 * -3 in [-13, -5]",
        "(d0) -> (), domain: d0 in [2, 4]",
    ),
    (
        "factor divided out",
        "(d0, d1) -> (), domain: d0 in [0, 8], d1 in [0, 9], d1 * 4 - d0 * 6 in [-5, 9]",
        "(d0, d1) -> (), domain: d0 in [0, 8], d1 in [0, 9], d0 * 3 - d1 * 2 in [-4, 2]",
    ),
    (
        "bounds of a quotient",  # XLA has [15, 35] here
        "()[s0] -> (s0), domain: s0 in [0, 99], s0 / -3 in [-11, -5]",
        "()[s0] -> (s0), domain: s0 in [13, 33]",
    ),
    (
        "remainder moved",
        "(d0) -> (), domain: d0 in [0, 99], (d0 * 9 + 5) mod 6 in [2, 2]",
        "(d0) -> (), domain: d0 in [1, 99], d0 mod 2 in [1, 1]",
    ),
    (
        "never true",
        "(d0) -> (d0), domain: d0 in [0, 99], (d0 * 4) mod 6 in [3, 3]",
        "KNOWN EMPTY",
    ),
    (
        "irrelevant part",
        "(d0, d1) -> (), domain: d0 in [0, 9], d1 in [0, 3], d0 * 4 + d1 in [0, 19]",
        "(d0, d1) -> (), domain: d0 in [0, 4], d1 in [0, 3]",
    ),
    (
        "split minimum or maximum",
        "(d0, d1) -> (), domain: d0 in [0, 9], d1 in [0, 9], min(d0, d1 + 1) in [3, 99]",
        "(d0, d1) -> (), domain: d0 in [3, 9], d1 in [2, 9]",
    ),
    (
        "tightened bounds",
        "(d0, d1) -> (), domain: d0 in [0, 9], d1 in [0, 9], d0 + d1 in [3, 99]",
        "(d0, d1) -> (), domain: d0 in [0, 9], d1 in [0, 9], d0 + d1 in [3, 18]",
    ),
    (
        "always true",
        "(d0)[s0] -> (), domain: d0 in [0, 5], s0 in [1, 3], d0 mod 8 - d0 + s0 in [0, 9]",
        "(d0)[s0] -> (), domain: d0 in [0, 5], s0 in [1, 3]",
    ),
    (
        "constraint on a variable",
        "(d0) -> (d0), domain: d0 in [0, 9], d0 / 4 in [1, 7]",
        "(d0) -> (d0), domain: d0 in [4, 9]",
    ),
    (
        "constraints on one expression",
        "(d0, d1) -> (), domain: d0 in [0, 9], d1 in [0, 9], d0 + d1 in [3, 9], 0 - d0 - d1 in [-12, -5]",
        "(d0, d1) -> (), domain: d0 in [0, 9], d1 in [0, 9], d0 + d1 in [5, 9]",
    ),
    (
        "remainders merged",
        "(d0) -> (), domain: d0 in [0, 99], d0 mod 4 in [3, 3], d0 mod 6 in [3, 3]",
        "(d0) -> (), domain: d0 in [3, 99], d0 mod 12 in [3, 3]",
    ),
    (
        "remainders merged",
        "(d0) -> (), domain: d0 in [0, 99], d0 mod 4 in [1, 1], d0 mod 6 in [3, 3]",
        "(d0) -> (), domain: d0 in [9, 93], d0 mod 12 in [9, 9]",
    ),
    (
        "never true",
        "(d0) -> (d0), domain: d0 in [0, 99], d0 mod 4 in [1, 1], d0 mod 6 in [2, 2]",
        "KNOWN EMPTY",
    ),
    (
        "bounds aligned",  # XLA rounds towards zero and has -1 and -19 here
        "(d0, d1) -> (), domain: d0 in [-5, 5], d1 in [-21, -2], d0 mod 3 in [2, 2], d1 mod 3 in [2, 2]",
        "(d0, d1) -> (), domain: d0 in [-4, 5], d1 in [-19, -4], d0 mod 3 in [2, 2], d1 mod 3 in [2, 2]",
    ),
    (
        "bounds aligned",
        "(d0, d1) -> (), domain: d0 in [0, 9], d1 in [0, 9], d0 + d1 in [4, 12], (d0 + d1) mod 5 in [2, 2]",
        "(d0, d1) -> (), domain: d0 in [0, 9], d1 in [0, 9], (d0 + d1) mod 5 in [2, 2], d0 + d1 in [7, 12]",
    ),
]
