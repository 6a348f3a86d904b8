"""The file that holds the profiles."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import ContentError, StateError
from .writers import check_writers

CORRECT = "correct the file, or move it away"
READABLE = "make it readable for this user, or set ADSCTL_CONFIG_DIR to another folder"


def read_config(path: Path) -> Mapping[str, Any]:
    """Read profiles; an empty mapping if there is no such file. Raises StateError where it is invalid."""
    check_writers(path)
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise StateError(f"{path} cannot be read: {error.strerror}", hint=READABLE) from error
    except UnicodeDecodeError as error:
        raise StateError(f"{path} is not UTF-8", hint=CORRECT) from error
    from .strict_yaml import load

    try:
        config = load(text, str(path)) or {}
    except ContentError as error:
        raise StateError(error.message, hint=CORRECT) from None
    if not isinstance(config, dict) or not isinstance(config.get("profiles") or {}, dict):
        raise StateError(f"{path} must be a mapping with 'profile' and 'profiles'")
    return config
