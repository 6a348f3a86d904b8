"""Mutants of what is read from the bytes of media, and of the rules of their uses."""

from .mutant import Mutant

INSPECTION = "tests/media/test_inspection.py"
DETAILS = "tests/media/test_details.py"
CHECK = "tests/media/test_check.py"
RULES = "ads_cli/media/rules.py"
MP4 = "ads_cli/media_files/mp4.py"
IMAGES = "ads_cli/media_files/images.py"
CODECS = "ads_cli/media_files/codecs.py"
CUT_OFF = f"{INSPECTION}::test_of_a_video_that_is_cut_off_anywhere_it_is_said"
WHATEVER_NAME = f"{CHECK}::test_each_file_breaks_the_rules_that_it_breaks_whatever_its_name"
USES = f"{CHECK}::test_each_use_adds_its_rules"

MEDIA = (
    Mutant(
        "a video whose pictures are missing counts as whole",
        MP4,
        "_last_chunk(boxes, video[1]) >= boxes.end:",
        "_last_chunk(boxes, video[1]) > 8 * boxes.end:",
        (CUT_OFF,),
    ),
    Mutant(
        "a video that is turned when it is played keeps its sides",
        MP4,
        "(height, width) if track.is_turned else (width, height)",
        "(width, height)",
        (f"{INSPECTION}::test_a_video_tells_its_container_codecs_pixels_and_times",),
    ),
    Mutant(
        "the parameters of H.264 are read with the bytes that only escape others",
        CODECS,
        '.replace(b"\\0\\0\\3", b"\\0\\0")',
        "",
        (f"{INSPECTION}::test_the_parameters_of_h264_are_read_escaped_as_they_are",),
    ),
    Mutant(
        "groups of elements are followed as deep as they go",
        "ads_cli/media_files/webm.py",
        "found |= self.values(element)",
        "found |= self.values(element, groups)",
        (f"{INSPECTION}::test_nothing_keeps_the_reader_busy",),
    ),
    Mutant(
        "elements that nobody asks for are kept in memory",
        "ads_cli/media_files/webm.py",
        "elif element.id in VALUES and element.id not in found:",
        "elif element.id not in found:",
        (f"{INSPECTION}::test_elements_that_nobody_asks_for_are_not_kept",),
    ),
    Mutant(
        "a JPG whose scans do not end counts as whole",
        IMAGES,
        'if b"\\xff\\xd9" in last + block:',
        'if b"\\xff" in last + block:',
        (f"{INSPECTION}::test_of_an_image_that_is_cut_off_anywhere_it_is_said",),
    ),
    Mutant(
        "a GIF of one frame is sent as one that moves",
        IMAGES,
        "    if frames == 1:\n",
        "    if frames == 0:\n",
        (f"{INSPECTION}::test_a_gif_tells_its_frames",),
    ),
    Mutant(
        "images in the colors of print are taken",
        RULES,
        'if info.color == "CMYK":',
        'if info.color == "cmyk":',
        (WHATEVER_NAME,),
    ),
    Mutant(
        "a poll takes a square image",
        RULES,
        'Use.poll: (("1.91:1",), ("16:9",)),',
        'Use.poll: (("1:1", "1.91:1"), ("16:9",)),',
        (USES,),
    ),
    Mutant(
        "a card takes an image of 5 MB",
        RULES,
        "IMAGE_BYTES, CARD_IMAGE_BYTES, GIF_BYTES = 5 * MB, 3 * MB, 15 * MB",
        "IMAGE_BYTES, CARD_IMAGE_BYTES, GIF_BYTES = 5 * MB, 5 * MB, 15 * MB",
        (USES,),
    ),
    Mutant(
        "a file that a server lacks hides what is wrong with the others",
        "ads_cli/commands/media/check.py",
        "AccessError, NotFoundError, RefusedError,",
        "AccessError, RefusedError,",
        (f"{CHECK}::test_a_file_of_a_server_is_checked_and_one_that_is_missing_hides_no_finding",),
    ),
    Mutant(
        "a table of refused files names what messages may show of an address",
        "ads_cli/commands/media/files.py",
        "        return file.name\n    folder, name",
        "        return file.label\n    folder, name",
        (f"{CHECK}::test_a_table_of_refused_files_names_them_as_they_were_given",),
    ),
    Mutant(
        "the number of an upload is known under any prefix",
        "ads_cli/emulator/resources/media.py",
        'upload if upload and upload["media_key"] == key else None',
        "upload",
        (f"{DETAILS}::test_the_number_of_an_upload_under_another_prefix_is_no_media",),
    ),
    Mutant(
        "what does not exist was refused for another reason",
        "ads_cli/client/api_errors.py",
        '_slug(entry.get("type")) == NOT_FOUND',
        "False",
        (f"{DETAILS}::test_keys_of_which_none_exists_end_with_5",),
    ),
    Mutant(
        "all subtitles are those of a video for ads",
        "ads_cli/commands/media/details.py",
        "    return CATEGORIES[prefix]",
        '    return CATEGORIES["13"]',
        (f"{DETAILS}::test_subtitles_are_added_by_language_and_deleted",),
    ),
    Mutant(
        "a JPG that its EXIF data turn keeps its sides",
        IMAGES,
        "sides if is_turned else sides[::-1]",
        "sides[::-1]",
        (f"{INSPECTION}::test_a_jpg_has_the_pixels_that_it_is_shown_with",),
    ),
)
