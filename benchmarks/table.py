"""What was measured, as rows of 80 columns: a median, its ratio to something run beside it, and the bar."""

import statistics
from collections.abc import Mapping, Sequence
from typing import NamedTuple

Samples = Mapping[str, Sequence[float]]  # seconds in each round, by what was run


class Bar(NamedTuple):
    """How something must compare to `of`, which runs in the same rounds.

    At `most` so many times its seconds, or at `least` so many times its speed; 0 holds to nothing.
    """

    of: str
    most: float = 0.0
    least: float | None = None

    @property
    def words(self) -> str:
        """Write the limit down."""
        if self.least:
            return f">= {self.least:g}"
        return f"<= {self.most:g}" if self.most else ""

    def keeps(self, ratio: float) -> bool:
        """Tell whether a ratio of seconds, or where `least` is asked for of speed, is within the limit."""
        return ratio >= self.least if self.least is not None else not self.most or ratio <= self.most


class Table:
    """Prints rows as they become known, and remembers the broken bars."""

    def __init__(self) -> None:
        self.broken: list[str] = []

    def begin(self, title: str) -> None:
        """Say what follows."""
        print(f"\n{title}", flush=True)

    def note(self, text: str) -> None:
        """Say something about the rows above."""
        print(f"  ({text})", flush=True)

    def compare(self, what: str, shown: str, samples: Samples, bars: Sequence[Bar] = ()) -> None:
        """Print how `what` compares to what ran beside it, a row for each bar.

        A ratio is the median of the rounds' ratios, so that what slows a whole round slows it not.
        """
        name = what
        if not any(bar.of in samples for bar in bars):
            self.row(name, shown)
        for bar in bars:
            if bar.of in samples:
                own, other = samples[what], samples[bar.of]
                pairs = (
                    zip(other, own, strict=True) if bar.least is not None else zip(own, other, strict=True)
                )
                ratio = statistics.median(first / second for first, second in pairs)
                self.hold(what, shown, ratio, bar, name)
                name = shown = ""

    def speed(self, what: str, rows: int, samples: Samples, bars: Sequence[Bar] = ()) -> None:
        """Print how many rows a second `what` took, and how that compares."""
        self.compare(what, f"{rows / statistics.median(samples[what]):,.0f} /s", samples, bars)

    def hold(self, what: str, shown: str, ratio: float, bar: Bar, name: str) -> None:
        """Hold a ratio to its bar, and print a row, under `name`."""
        held = bar.keeps(ratio)
        if not held:
            self.broken.append(f"{what}: {ratio:.2f} x {bar.of}, bar {bar.words}")
        verdict = ("held" if held else "BROKEN") if bar.words else ""
        self.row(name, shown, f"{ratio:5.2f} x {bar.of}", bar.words, verdict)

    def limit(self, what: str, number: float, most: float, unit: str) -> None:
        """Print a row whose number itself has a limit."""
        held = number <= most
        if not held:
            self.broken.append(f"{what}: {number:.0f} {unit}, bar {most:.0f}")
        self.row(what, f"{number:.0f} {unit}", "", f"<= {most:.0f}", "held" if held else "BROKEN")

    def row(self, what: str, shown: str, compared: str = "", bar: str = "", verdict: str = "") -> None:
        """Print a row."""
        print(f"  {what:<22}{shown:>11} {compared:<29}{bar:>7} {verdict:<6}".rstrip(), flush=True)
