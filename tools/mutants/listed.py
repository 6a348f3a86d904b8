"""All mutants."""

from .checksums import CHECKSUMS
from .digests import DIGESTS
from .fsyncs import FSYNCS
from .generations import GENERATIONS
from .others import OTHERS

MUTANTS = (*FSYNCS, *CHECKSUMS, *GENERATIONS, *DIGESTS, *OTHERS)
