"""Print measurements as rows of 80 columns: a median, its ratio to a reference, the bar and the verdict."""

import statistics
from collections.abc import Mapping, Sequence
from typing import NamedTuple

Samples = Mapping[str, Sequence[float]]  # seconds of each round, by name


class Bar(NamedTuple):
    """A limit relative to `of`, which runs in the same rounds.

    `most` limits the ratio of seconds, `least` the ratio of speeds; 0 is no limit.
    """

    of: str
    most: float = 0.0
    least: float | None = None

    @property
    def words(self) -> str:
        """Return the limit as text."""
        if self.least:
            return f">= {self.least:g}"
        return f"<= {self.most:g}" if self.most else ""

    def keeps(self, ratio: float) -> bool:
        """Return whether a ratio is within the limit: of speeds if `least` is set, else of seconds."""
        return ratio >= self.least if self.least is not None else not self.most or ratio <= self.most


class Table:
    """Prints rows as they are measured and collects the broken bars, unless it only prints figures."""

    def __init__(self, *, judges: bool = True) -> None:
        self.judges = judges
        self.broken: list[str] = []

    def begin(self, title: str) -> None:
        """Print the title of a section."""
        print(f"\n{title}", flush=True)

    def note(self, text: str) -> None:
        """Print a note about the rows above."""
        print(f"  ({text})", flush=True)

    def compare(self, what: str, shown: str, samples: Samples, bars: Sequence[Bar] = ()) -> None:
        """Print how `what` compares to its references, one row per bar.

        A ratio is the median of the ratios of the rounds, so that a slow round does not distort it.
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
        """Print the rows per second of `what`, and how that compares."""
        self.compare(what, f"{rows / statistics.median(samples[what]):,.0f} /s", samples, bars)

    def hold(self, what: str, shown: str, ratio: float, bar: Bar, name: str) -> None:
        """Print a row under `name`; compare the ratio to its bar."""
        self._judge(name, shown, f"{ratio:5.2f} x {bar.of}", bar.words, bar.keeps(ratio), what)

    def limit(self, what: str, number: float, most: float, unit: str) -> None:
        """Print a row whose number has an absolute limit."""
        self._judge(what, f"{number:.0f} {unit}", "", f"<= {most:.0f}", number <= most, what)

    def _judge(self, name: str, shown: str, compared: str, bar: str, held: bool, what: str) -> None:
        if not (self.judges and bar):
            self.row(name, shown, compared)
            return
        if not held:
            self.broken.append(f"{what}: {(compared or shown).strip()}, bar {bar}")
        self.row(name, shown, compared, bar, "held" if held else "BROKEN")

    def row(self, what: str, shown: str, compared: str = "", bar: str = "", verdict: str = "") -> None:
        """Print a row."""
        print(f"  {what:<22}{shown:>11} {compared:<29}{bar:>7} {verdict:<6}".rstrip(), flush=True)
