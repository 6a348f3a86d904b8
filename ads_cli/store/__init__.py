"""What adsctl remembers between runs: one SQLite file in the state folder, `state.db`.

Nothing is written at the start of a command, and nothing is opened by one that needs none of it.
"""

from .database import Store, as_json, close_stores, store_in

__all__ = ["Store", "as_json", "close_stores", "store_in"]
