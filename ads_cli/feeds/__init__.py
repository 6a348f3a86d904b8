"""Bytes in, rows out: sources, compression, formats and the writer."""

MAX_DECOMPRESSED_BYTES = 2 * 1024**3
# Repetitive feeds reach 300:1. The ratio is judged only once a bomb could hurt.
MAX_RATIO = 1000
MIN_JUDGED_BYTES = 64 * 1024**2
MAX_SHEET_ROWS = 200_000  # of a workbook, which is loaded as a whole: about 2 KB a row
# Fields that are one text, in which these separate what each of several elements or columns gives.
SEPARATORS = {"additional_image_link": ","}
WHITESPACE = "whitespace"  # the fix that removes control characters
CONTROL_CHARACTER = "control_character"  # the rule that it fixes in XML
DUPLICATES = "duplicates"  # the fix that leaves out repeated rows, which validation itself makes
