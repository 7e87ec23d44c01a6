"""Ops of StableHLO's own tests: none can be called alone."""

_CHECKS = ("eq", "eq_const", "almost_eq", "almost_eq_const", "close", "serialized_eq")

WITHOUT_CASES = {
    **{f"check.expect_{name}": "it gives nothing: test_checks.py" for name in _CHECKS},
    **{
        f"interpreter.{name}": "the run answers it: test_checks.py"
        for name in ("print", "probe", "run_parallel")
    },
}
"""Ops that cannot be called on their own, and why."""
