"""What a mutant is."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Mutant:
    """A mistake in one place of the code."""

    breaks: str  # what no longer holds
    file: str
    old: str  # occurs exactly once in the file
    new: str
    tests: tuple[str, ...]  # node ids; at least one of them must fail

    def apply(self, root: Path) -> str:
        """Put the mistake into a copy of the code; return the original text."""
        path = root / self.file
        text = path.read_text()
        found = text.count(self.old)
        if found != 1:
            raise ValueError(f"the old text occurs {found} times in {self.file}, and not once")
        path.write_text(text.replace(self.old, self.new))
        return text
