"""Mutants of uploads of media: once for a file, by segment, and before what needs the media."""

from .mutant import Mutant

INTERRUPTED = "tests/media/test_interrupted_uploads.py"
UPLOADED = "tests/media/test_upload.py"
TOO_LARGE = "tests/media/test_too_large_segments.py"
UNUSED = "tests/media/test_unused_media.py"
LISTS = "tests/media/test_files_in_lists.py"
FILES = "tests/media/test_files_for_keys.py"
UPLOAD = "ads_cli/media/upload.py"
LYING = "tests/media/test_lying_service.py"
ANSWERS = "ads_cli/media/responses.py"
USAGE = "ads_cli/media/usage.py"
CLEAN = "ads_cli/commands/media/unused.py"
EMULATOR = "ads_cli/emulator/resources/media_uploads.py"

PAGE = "tests/report/test_page_of_media.py"

MEDIA_UPLOADS = (
    Mutant(
        "media that are invalid are not written where nothing is sent",
        "ads_cli/commands/media/files.py",
        "(why := each.refusal or each.reason)",
        "(why := each.refusal)",
        (f"{UPLOADED}::test_the_refused_files_are_written_where_nothing_is_sent_too",),
    ),
    Mutant(
        "a table of refused media has paths from where a link seems to be",
        "ads_cli/commands/media/files.py",
        "os.path.realpath(table.parent))",
        "os.path.abspath(table.parent))",
        (f"{UPLOADED}::test_a_table_of_refused_files_is_read_again_wherever_it_is",),
    ),
    Mutant(
        "a table of refused media names files that are read as variables",
        "ads_cli/commands/media/files.py",
        "return found if is_path(found) else",
        "return found if True else",
        (f"{UPLOADED}::test_a_table_of_refused_files_is_read_again_wherever_it_is",),
    ),
    Mutant(
        "true is uploaded as a text",
        "ads_cli/commands/media/upload.py",
        " and not isinstance(value, bool)",
        "",
        (f"{UPLOADED}::test_a_detail_of_a_table_that_is_no_text_is_refused",),
    ),
    Mutant(
        "files beside a video are not on the page",
        "ads_cli/commands/media/upload.py",
        "all_files = [*named, *beside.values()]",
        "all_files = [*named]",
        (f"{PAGE}::test_files_beside_a_video_are_counted_and_named_with_what_became_of_them",),
    ),
    Mutant(
        "a failed upload is not sent",
        "ads_cli/commands/media/upload.py",
        'file.status, file.category = "failed", category',
        "file.category = category",
        (f"{PAGE}::test_a_file_whose_upload_fails_is_said_to_have_failed",),
    ),
    Mutant(
        "a terminal of 80 columns does not show what became of a file",
        "ads_cli/commands/media/upload.py",
        "if call.printer.draws else COLUMNS",
        "if False else COLUMNS",
        ("tests/media/test_upload.py::test_a_terminal_of_80_columns_shows_what_became_of_each_file",),
    ),
    Mutant(
        "a resumed upload sends every segment again",
        UPLOAD,
        "if content and number not in journal.sent:",
        "if content:",
        (f"{INTERRUPTED}::test_a_resumed_upload_sends_only_what_is_left",),
    ),
    Mutant(
        "an upload in segments begins with a few of them",
        UPLOAD,
        "        self.client.rate_limiter.begin_with(AppendSegment.endpoint.route, self.concurrency)\n",
        "",
        (f"{INTERRUPTED}::test_the_first_segments_are_as_many_at_once_as_allowed",),
    ),
    Mutant(
        "a new file is hashed before its upload begins",
        UPLOAD,
        "if not (info.digest.done() or category",
        "if not (info.sha256 or category",
        (f"{INTERRUPTED}::test_the_upload_of_a_new_file_begins_while_it_is_hashed",),
    ),
    Mutant(
        "an upload begins before it is known whether the file was uploaded",
        UPLOAD,
        " or may_have_journal(self.state_dir, info.bytes)):",
        "):",
        (f"{INTERRUPTED}::test_a_file_that_may_be_known_is_hashed_before_anything_is_sent",),
    ),
    Mutant(
        "an upload that the service loses meanwhile ends with its 404",
        UPLOAD,
        "                if is_last:\n                    raise\n",
        "                raise\n",
        (f"{INTERRUPTED}::test_an_upload_that_the_service_loses_meanwhile_begins_again_once",),
    ),
    Mutant(
        "an answer may name any text as an id",
        ANSWERS,
        " or not re.match(ID_PATTERN, str(value)):",
        ":",
        (f"{LYING}::test_an_id_that_cannot_be_one_is_used_nowhere",),
    ),
    Mutant(
        "processing without a state counts as a success",
        ANSWERS,
        'else "not ready"',
        "else None",
        (f"{LYING}::test_processing_without_a_state_is_not_taken_for_success",),
    ),
    Mutant(
        "a failure is explained in one form only",
        ANSWERS,
        'info.get("error") or info.get("errors")',
        'info.get("error")',
        (f"{LYING}::test_the_reason_of_a_failure_is_shown_in_whatever_form_it_comes",),
    ),
    Mutant(
        "an error of hashing leaves its command waiting",
        "ads_cli/media/inspection.py",
        "            info.digest.set_exception(error)",
        "            info.digest.cancel()",
        ("tests/media/test_check.py::test_a_file_that_cannot_be_read_ends_with_2",),
    ),
    Mutant(
        "segments that are refused as too large are sent again as they are",
        UPLOAD,
        "max(least, begun.segment_bytes // 2)",
        "begun.segment_bytes",
        (f"{TOO_LARGE}::test_smaller_segments_are_sent_where_the_service_refuses_them",),
    ),
    Mutant(
        "a late answer to a segment of another upload counts for this one",
        "ads_cli/media/journal.py",
        'if self.begun and entry.media_id in ("", self.begun.media_id):',
        "if self.begun:",
        (f"{TOO_LARGE}::test_a_late_answer_counts_for_its_own_upload",),
    ),
    Mutant(
        "the records of a list are sent before the files that they name",
        "ads_cli/commands/batches/__init__.py",
        "            self.files.upload(items, journal)",
        "            pass",
        (f"{LISTS}::test_a_list_is_sent_in_its_order_with_each_file_uploaded_once",),
    ),
    Mutant(
        "standard input is empty where it is read again",
        "ads_cli/feeds/locations/__init__.py",
        "        stream.seek(0)\n        return stream\n",
        "        return stream\n",
        ("tests/feeds/test_location.py::test_standard_input_is_read_from_its_beginning_each_time",),
    ),
    Mutant(
        "a list whose upload was refused must be resumed",
        "ads_cli/commands/media/references.py",
        "                journal.remove()",
        "                pass",
        (f"{LISTS}::test_where_an_upload_is_refused_nothing_is_created_and_the_list_can_be_sent_later",),
    ),
    Mutant(
        "a file with two uses is checked for the last one",
        "ads_cli/media/references.py",
        "known.joined(reference) if known else reference",
        "reference",
        (f"{LISTS}::test_one_file_for_two_uses_is_checked_for_both",),
    ),
    Mutant(
        "a file whose media is in the library is uploaded again",
        UPLOAD,
        "            if self._is_in_library(begun.media_key):\n                return True\n",
        "",
        (f"{UPLOADED}::test_the_same_file_is_uploaded_once",),
    ),
    Mutant(
        "media whose processing has failed counts as uploaded",
        UPLOAD,
        'if state == "failed":\n                journal',
        'if state == "lost":\n                journal',
        (f"{INTERRUPTED}::test_failed_processing_says_why_and_adds_nothing",),
    ),
    Mutant(
        "of several files where one is meant the first is taken",
        "ads_cli/media/references.py",
        'if field != "media_keys" and len(listed) > 1:',
        "if False:",
        (f"{LISTS}::test_several_files_where_one_is_meant_are_refused_and_none_is_uploaded",),
    ),
    Mutant(
        "a category has no prefix of its media keys",
        ANSWERS,
        '    Category.tweet_gif: "16",\n',
        "",
        (f"{LYING}::test_a_media_key_that_is_not_named_is_made_of_the_category",),
    ),
    Mutant(
        "the files of a document are relative to the working folder",
        "ads_cli/media/references.py",
        'str(Path(folder or "", file))',
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
    Mutant(
        "a file that has changed while it was uploaded is finalized",
        UPLOAD,
        "        _require_same(label, is_same, journal)\n        ended",
        "        ended",
        (f"{INTERRUPTED}::test_a_file_that_changes_while_it_is_uploaded_is_not_finalized",),
    ),
    Mutant(
        "a file that has grown while it was uploaded is finalized",
        UPLOAD,
        "            stream.read(1)  # so that the position differs in a file that has grown\n",
        "",
        (f"{INTERRUPTED}::test_a_file_that_changes_while_it_is_uploaded_is_not_finalized",),
    ),
    Mutant(
        "an upload for other owners counts as one for all",
        UPLOAD,
        "info.sha256, category.value, self.owners)",
        "info.sha256, category.value, ())",
        (f"{UPLOADED}::test_other_owners_are_named_to_the_service_and_have_uploads_of_their_own",),
    ),
    Mutant(
        "media that was posted counts as unused under service x",
        USAGE,
        'to_neutral(one).get("posted")',
        'one.get("posted")',
        (f"{UNUSED}::test_media_that_something_shows_are_in_use",),
    ),
    Mutant(
        "media of a deleted card that a post has counts as unused",
        USAGE,
        'if one.get("card_uri") in uris]',
        "if not uris]",
        (f"{UNUSED}::test_a_deleted_card_is_a_use_only_where_a_post_has_it",),
    ),
    Mutant(
        "the poster of a video counts as unused",
        USAGE,
        'if poster := one.get("poster_media_key"):',
        'if poster := one.get("poster"):',
        (f"{UNUSED}::test_media_that_something_shows_are_in_use",),
    ),
    Mutant(
        "a clean-up decides once, before it asks",
        CLEAN,
        'if one["media_key"] not in still:',
        'if one["media_key"] not in still and not unused:',
        (f"{UNUSED}::test_what_is_shown_meanwhile_is_kept",),
    ),
    Mutant(
        "the guard does not see how many media a clean-up deletes",
        CLEAN,
        "        call.writes.approve(map(call.client.prepare, requests))\n",
        "",
        (f"{UNUSED}::test_the_guard_judges_a_clean_up_before_anything_is_removed",),
    ),
    Mutant(
        "what a conversation card unlocks counts as unused",
        CLEAN,
        "usage.add_unlocked(changes)",
        "usage.add_unlocked([])",
        (f"{UNUSED}::test_media_that_something_shows_are_in_use",),
    ),
    Mutant(
        "what a card made elsewhere may unlock is deleted",
        CLEAN,
        "is_uncertain = usage.may_be_unlocked(one) and not unlocked",
        "is_uncertain = False",
        (f"{UNUSED}::test_what_a_card_made_elsewhere_may_unlock_is_kept_unless_it_is_asked_for",),
    ),
    Mutant(
        "what a deleted conversation card unlocked counts as used",
        USAGE,
        "if not ids or not self.conversations.keys().isdisjoint(ids):",
        "if True:",
        (f"{UNUSED}::test_what_a_deleted_card_unlocked_is_in_use_no_longer",),
    ),
    Mutant(
        "a refused change of a card hides one that was made elsewhere",
        USAGE,
        'if change.get("outcome") == "ok":',
        "if True:",
        (f"{UNUSED}::test_a_refused_change_of_a_card_says_nothing_of_one_made_elsewhere",),
    ),
)
