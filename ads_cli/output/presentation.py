"""How results and messages are shown: format and color."""

FORMATS = ("table", "tsv", "csv", "json", "jsonl", "yaml", "ids", "none")
COLORS = ("auto", "always", "never")
