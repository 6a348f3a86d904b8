"""All mutants."""

from .checksums import CHECKSUMS
from .conversion import CONVERSION
from .creations import CREATIONS
from .digests import DIGESTS
from .fleets import FLEETS
from .fsyncs import FSYNCS
from .generations import GENERATIONS
from .images import IMAGES
from .others import OTHERS
from .pages import PAGES
from .syncs import SYNCS
from .updates import UPDATES

MUTANTS = (
    *FSYNCS,
    *CHECKSUMS,
    *GENERATIONS,
    *DIGESTS,
    *CREATIONS,
    *CONVERSION,
    *IMAGES,
    *SYNCS,
    *UPDATES,
    *PAGES,
    *FLEETS,
    *OTHERS,
)
