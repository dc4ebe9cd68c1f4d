"""Shapes and steps of direct patterns, and where channels may start.

Source: isa/01 sections 5.1, 9.4, 10.
"""


def start_partitions(channels):
    """List the legal start partitions (V11)."""
    return (0, 32, 64, 96) if channels <= 32 else (0, 64) if channels <= 64 else (0,)


def shape(rng, count, dims):
    """Return counts of dims dimensions, innermost first, with the given product."""
    counts = [1] * dims
    for factor in factors(count):
        counts[rng.randrange(dims)] *= factor
    return counts


def factors(number):
    found, divisor = [], 2
    while number > 1:
        while number % divisor == 0:
            found.append(divisor)
            number //= divisor
        divisor += 1
    return found


def strides(rng, counts):
    """Return steps for the counts: contiguous, transposed, padded, reversed, broadcast, overlapping or wild."""
    style = rng.choice(("packed", "packed", "transposed", "padded", "reversed", "broadcast", "small", "wild"))
    order = list(range(len(counts)))
    if style == "transposed":
        rng.shuffle(order)
    steps, reach = [0] * len(counts), 1
    for d in order:
        steps[d] = reach
        reach = reach * counts[d] + (rng.randrange(4) if style == "padded" else 0)
    if style == "reversed":
        steps = [-step if rng.random() < 0.7 else step for step in steps]
    if style == "broadcast":
        steps[rng.randrange(len(steps))] = 0
    if style == "small":
        steps = [rng.randrange(-3, 4) for _ in steps]
    if style == "wild":
        steps = [rng.choice((-700, -65, 17, 64, 333, 1000, 0)) for _ in steps]
    # A dimension of one element is visited once, whatever its step (5.1).
    return [
        rng.choice((step, 1, rng.randrange(-32768, 32768))) if count == 1 else step
        for step, count in zip(steps, counts, strict=False)
    ]
