"""How long the frames of a page take, as the page itself sees them."""

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
