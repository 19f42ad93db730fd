# SPDX-License-Identifier: Apache-2.0
"""The budgets: which figures are compared, what their ratio may be, and how the table shows it."""

import statistics

# what, figure, peer's figure, most that their ratio may be (None: only shown)
RATIOS = [
    ("warm call, 3 torch tensors, 4 scalars, 8 globals", "asc.warm_torch", "pyasc.warm_torch", 1 / 50),
    ("warm call, 3 numpy arrays, 4 scalars, 8 globals", "asc.warm_numpy", "pyasc.warm_numpy", 1 / 40),
    ("AST to Ascend C text", "asc.compile", "pyasc.compile", 1 / 40),
    ("first call, from source to text", "asc.first", "pyasc.first", 1 / 25),
    ("import asc, time", "asc.import", "pyasc.import", 1 / 10),
    ("import asc, peak memory", "asc.rss", "pyasc.rss", None),
    ("extension on disk", "asc.size", "pyasc.size", None),
    ("second process, warm cache, over bare Python", "asc.process", "bare.process", None),
    ("simulated add, fast, over floor", "add.fast", "floor", 1.5),
    ("simulated add, check, over floor", "add.check", "floor", 2.5),
    ("simulated add, fast, over Triton's interpreter", "add.fast", "triton.triton", 1 / 200),
    ("simulated add, fast, over torch", "add.fast", "torch.add", None),
    ("simulated gelu, fast, over torch op by op", "gelu.fast", "torch.gelu", 1.0),
    ("simulated Matmul 512 x 512 x 1024, over torch", "product.fast", "torch.matmul", 2.0),
    ("simulated load_data and mmad, the same, over torch", "mmad.fast", "torch.matmul", 5.0),
    ("check over fast, tiles of 2,048", "add.check", "add.fast", 1.5),
    ("check over fast, tiles of 256", "small.check", "small.fast", 2.5),
    *(
        row
        for loop in ("integers", "floats", "memory")
        for row in (
            (f"scalar loop, {loop}: fast over CPython", f"{loop}.fast", f"{loop}.cpython", 1 / 30),
            (f"scalar loop, {loop}: fast over g++ -O0", f"{loop}.fast", f"{loop}.gxx", 4.0),
            (f"scalar loop, {loop}: check over fast", f"{loop}.check", f"{loop}.fast", 4.0),
        )
    ),
    ("2 threads over 1: the machine's gain over the simulator's", "machine.gain", "gelu.gain", 1 / 0.9),
]
# figure -> limit in the figure's own unit (bytes), or seconds that it may take more than its peer
LIMITS = {"asc.rss": 25e6, "asc.size": 6e6}
MORE_THAN_PEER = {"asc.process": 0.060}
# Rows of the design that ask for what is not built.
NOT_BUILT = {
    "simulated softmax, over torch": "no reductions yet",
}


def summary(values):
    values = sorted(values)
    return {
        "median": statistics.median(values),
        "p10": values[len(values) // 10],
        "p90": values[(len(values) * 9) // 10 if len(values) > 1 else 0],
        "n": len(values),
    }


def with_gains(figures):
    """Adds how much faster two threads are than one."""
    for name in ("machine", "gelu"):
        one, two = figures.get(f"{name}.threads1"), figures.get(f"{name}.threads2")
        if one and two:
            gains = [a / b for a, b in zip(one, two, strict=False)]
            figures[f"{name}.gain"] = gains
    return figures


def show(name, figures):
    """A figure with its spread, in a unit that suits it."""
    figure = figures.get(name)
    if figure is None:
        return "-"
    if name.endswith((".rss", ".size")):
        return f"{figure['median'] / 1e6:.1f} MB"
    units = [("x", 1.0)] if name.endswith(".gain") else [("s", 1.0), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9)]
    for unit, scale in units:
        if figure["median"] >= scale or unit in ("x", "ns"):
            middle, low, high = (figure[k] / scale for k in ("median", "p10", "p90"))
            return f"{middle:.3g} {unit} [{low:.3g}..{high:.3g}]"
    raise AssertionError(name)


def rows_of(figures):
    """One dict for each row of the table; `met` is None where there is no budget or no figure."""
    rows = []
    for what, top, bottom, budget in RATIOS:
        ratio = None
        if top in figures and bottom in figures:
            ratio = figures[top]["median"] / figures[bottom]["median"]
        wanted, met = [], []
        if budget is not None:
            wanted.append(f"<= 1/{1 / budget:.0f}" if budget <= 0.5 else f"<= {budget:.3g}x")
            met.append(None if ratio is None else ratio <= budget)
        if top in LIMITS:
            wanted.append(f"<= {LIMITS[top] / 1e6:g} MB")
            met.append(figures[top]["median"] <= LIMITS[top] if top in figures else None)
        if top in MORE_THAN_PEER:
            wanted.append(f"<= {MORE_THAN_PEER[top] * 1e3:g} ms more")
            more = None if ratio is None else figures[top]["median"] - figures[bottom]["median"]
            met.append(None if more is None else more <= MORE_THAN_PEER[top])
        verdict = None if not met or None in met else all(met)
        rows.append(
            {
                "what": what,
                "top": top,
                "bottom": bottom,
                "ratio": ratio,
                "budget": ", ".join(wanted),
                "met": verdict,
            }
        )
    return rows


def print_table(rows, figures, errors):
    table = [("what", "asc", "peer", "ratio", "budget", "")]
    for row in rows:
        ratio = row["ratio"]
        shown = "-" if ratio is None else f"1/{1 / ratio:.1f}" if ratio < 0.5 else f"{ratio:.2f}x"
        peer = f"{row['bottom'].removesuffix('.threads1')}: {show(row['bottom'], figures)}"
        why = errors.get(row["top"], errors.get(row["bottom"], ""))
        verdict = {True: "met", False: "MISSED", None: why if ratio is None else ""}[row["met"]]
        table.append((row["what"], show(row["top"], figures), peer, shown, row["budget"], verdict))
    table += [(what, "-", "-", "-", "", f"not built: {why}") for what, why in NOT_BUILT.items()]
    widths = [max(len(line[i]) for line in table) for i in range(5)]
    for line in table:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, [*widths, 0], strict=True)).rstrip())
    judged = [row for row in rows if row["met"] is not None]
    missed = [row["what"] for row in judged if not row["met"]]
    print(f"{len(judged) - len(missed)} of {len(judged)} budgets met" + ("; missed:" if missed else ""))
    for what in missed:
        print(f"  {what}")
