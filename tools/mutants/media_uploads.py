"""Mutants of uploads of media: once for a file, by segment, and before what needs the media."""

from .mutant import Mutant

INTERRUPTED = "tests/media/test_interrupted_uploads.py"
FILES = "tests/media/test_files_for_keys.py"
UPLOAD = "ads_cli/media/upload.py"
EMULATOR = "ads_cli/emulator/resources/media_uploads.py"

MEDIA_UPLOADS = (
    Mutant(
        "a resumed upload sends every segment again",
        UPLOAD,
        "if content and number not in journal.sent:",
        "if content:",
        (f"{INTERRUPTED}::test_a_resumed_upload_sends_only_what_is_left",),
    ),
    Mutant(
        "a file whose media is in the library is uploaded again",
        UPLOAD,
        "            if self._is_in_library(begun.media_key):\n                return True\n",
        "",
        ("tests/media/test_upload.py::test_the_same_file_is_uploaded_once",),
    ),
    Mutant(
        "media whose processing has failed counts as uploaded",
        UPLOAD,
        'if state == "failed":\n                journal',
        'if state == "lost":\n                journal',
        (f"{INTERRUPTED}::test_failed_processing_says_why_and_adds_nothing",),
    ),
    Mutant(
        "the files of a document are relative to the working folder",
        "ads_cli/media/references.py",
        "str(Path(folder, file))",
        "str(Path(file))",
        (f"{FILES}::test_files_in_a_document_are_relative_to_it",),
    ),
    Mutant(
        "the emulator takes segments of any size",
        EMULATOR,
        "len(content) > MAX_SEGMENT_BYTES",
        "len(content) > 2 * MAX_SEGMENT_BYTES",
        ("tests/emulator/test_media_uploads.py::test_a_segment_has_at_most_4_mib",),
    ),
)
