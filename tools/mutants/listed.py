"""All mutants."""

from .checksums import CHECKSUMS
from .conversion import CONVERSION
from .digests import DIGESTS
from .fsyncs import FSYNCS
from .generations import GENERATIONS
from .others import OTHERS

MUTANTS = (*FSYNCS, *CHECKSUMS, *GENERATIONS, *DIGESTS, *CONVERSION, *OTHERS)
