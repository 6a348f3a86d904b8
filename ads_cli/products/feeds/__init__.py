"""What only product feeds have: kinds, assembly of products from several rows, transforms and fixes."""

import re

SCHEMA_ADDRESS = re.compile(r"^https?://(www\.)?schema\.org/", re.I)  # before the name of a value
