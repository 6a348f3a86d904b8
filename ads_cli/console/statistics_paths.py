"""Where statistics may be written: checked before anything is asked."""

from collections.abc import Iterable
from pathlib import Path

from ..errors import UsageError


def check_file(path: Path) -> None:
    """Raise UsageError for a name whose format cannot be written."""
    from ..statistics.files import format_of, require_parquet

    if format_of(path) == "parquet":
        require_parquet()


def check_plot(path: Path) -> None:
    """Raise UsageError for a picture that cannot be drawn, or not there."""
    from ..statistics.plot import format_of, require_matplotlib

    format_of(path)
    require_matplotlib()
    require_folder("--plot", path)


def require_folder(option: str, path: Path) -> None:
    """Raise UsageError for a file that cannot be written where it is to be."""
    if not path.parent.is_dir() or path.is_dir():
        reason = f"{path} is a folder" if path.is_dir() else f"the folder {path.parent} does not exist"
        raise UsageError(f"{option}: {reason}")


def check_differs(paths: Iterable[Path | None]) -> None:
    """Raise UsageError where one file is to be written twice."""
    seen = set()
    for path in filter(None, paths):
        if path.resolve() in seen:
            raise UsageError(f"{path} is named twice", hint="choose another name for one of them")
        seen.add(path.resolve())
