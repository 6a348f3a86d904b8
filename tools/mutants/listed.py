"""All mutants."""

from .ab_tests import AB_TESTS
from .assistants import ASSISTANTS
from .campaign_files import CAMPAIGN_FILES
from .checksums import CHECKSUMS
from .consent import CONSENT
from .conversion import CONVERSION
from .creations import CREATIONS
from .digests import DIGESTS
from .epochs import EPOCHS
from .fleets import FLEETS
from .fsyncs import FSYNCS
from .grants import OAUTH2
from .guards import GUARDS
from .images import IMAGES
from .media import MEDIA
from .media_uploads import MEDIA_UPLOADS
from .others import OTHERS
from .pages import PAGES
from .profiles import PROFILES
from .spending import SPENDING
from .statistics import STATISTICS
from .syncs import SYNCS
from .updates import UPDATES

MUTANTS = (
    *FSYNCS,
    *CHECKSUMS,
    *EPOCHS,
    *DIGESTS,
    *CREATIONS,
    *CONVERSION,
    *CONSENT,
    *IMAGES,
    *GUARDS,
    *OAUTH2,
    *MEDIA,
    *MEDIA_UPLOADS,
    *SPENDING,
    *SYNCS,
    *UPDATES,
    *PAGES,
    *STATISTICS,
    *FLEETS,
    *CAMPAIGN_FILES,
    *AB_TESTS,
    *ASSISTANTS,
    *PROFILES,
    *OTHERS,
)
