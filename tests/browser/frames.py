"""How long the frames of a page take, as the page itself sees them."""

from statistics import quantiles

FRAMES = """(count) => new Promise((resolve) => {
    const times = [];
    let last = 0;
    const look = (now) => {
        if (last > 0) times.push(now - last);
        last = now;
        if (times.length < count) requestAnimationFrame(look); else resolve(times);
    };
    requestAnimationFrame(look);
})"""
"""A function of the page: milliseconds from frame to frame, for so many."""


def undisturbed(times: list[float]) -> float:
    """The quickest quarter takes no longer: what the page needs where nobody else takes the processor."""
    return quantiles(times, n=4)[0]
