"""Many commands, each under its own profile, on this machine or on a cluster."""

from ..lean_imports import import_msgspec

import_msgspec()  # before the modules of this package, which the process of each task begins with
