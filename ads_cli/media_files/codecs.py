"""Read what containers hold for decoders: profiles, colors, scan, channels."""

from contextlib import suppress

from . import MediaFacts

H264_PROFILES = {
    66: "Baseline",
    77: "Main",
    88: "Extended",
    100: "High",
    110: "High 10",
    122: "High 4:2:2",
    244: "High 4:4:4 Predictive",
    44: "CAVLC 4:4:4",
}
HEVC_PROFILES = {1: "Main", 2: "Main 10", 3: "Main Still Picture", 4: "Range Extensions"}
CHROMA = ("4:0:0", "4:2:0", "4:2:2", "4:4:4")
# Profiles whose parameters state the chroma format; in all others it is 4:2:0.
WITH_CHROMA = frozenset({100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135})
# Table E-1 of H.264: width and height of a pixel.
PIXEL_ASPECTS = (
    *("", "1:1", "12:11", "10:11", "16:11", "40:33", "24:11", "20:11", "32:11", "80:33", "18:11", "15:11"),
    *("64:33", "160:99", "4:3", "3:2", "2:1"),
)
OWN_ASPECT = 255
AAC_PROFILES = {1: "Main", 2: "LC", 3: "SSR", 4: "LTP", 5: "HE", 29: "HE v2", 42: "xHE"}
AAC_CHANNELS = (None, 1, 2, 3, 4, 5, 6, 8)


class Bits:
    """Bits in their order, with the codes of H.264; IndexError where they end."""

    def __init__(self, data: bytes) -> None:
        self._value, self._left = int.from_bytes(data), len(data) * 8

    def read(self, count: int = 1) -> int:
        """Read an unsigned number."""
        if count > self._left:
            raise IndexError
        self._left -= count
        return self._value >> self._left & (1 << count) - 1

    def golomb(self) -> int:
        """Read an unsigned Exp-Golomb code."""
        zeros = 0
        while not self.read():
            zeros += 1
        return (1 << zeros) - 1 + self.read(zeros)

    def signed_golomb(self) -> int:
        """Read a signed Exp-Golomb code."""
        code = self.golomb()
        return (code + 1) // 2 if code & 1 else -(code // 2)


MAX_PARAMETER_BYTES = 1024  # of one parameter set; real ones have 20 to 60


def read_avc(config: bytes, facts: MediaFacts) -> None:
    """Read the decoder configuration of H.264."""
    if len(config) < 8:
        return
    profile = H264_PROFILES.get(config[1])
    if profile == "Baseline" and config[2] & 0x40:
        profile = "Constrained Baseline"
    facts.note(video_profile=profile)
    if config[5] & 31:
        size = int.from_bytes(config[6:8])
        parameters = config[8 : 8 + min(size, MAX_PARAMETER_BYTES)]
        with suppress(IndexError):
            _read_parameters(Bits(parameters[1:].replace(b"\0\0\3", b"\0\0")), facts)


def _read_parameters(bits: Bits, facts: MediaFacts) -> None:
    """Read a sequence parameter set (H.264, 7.3.2.1.1); what is not used is named as there."""
    profile = bits.read(8)
    bits.read(16)  # constraint flags, level_idc
    bits.golomb()  # seq_parameter_set_id
    chroma, depth = 1, 8
    if profile in WITH_CHROMA:
        chroma = bits.golomb()
        if chroma == 3:
            bits.read()  # separate_colour_plane_flag
        depth = 8 + bits.golomb()
        bits.golomb()  # bit_depth_chroma_minus8
        bits.read()  # qpprime_y_zero_transform_bypass_flag
        has_scaling_matrix = bits.read()
        for number in range(0 if not has_scaling_matrix else 12 if chroma == 3 else 8):
            if bits.read():
                _skip_scaling(bits, 16 if number < 6 else 64)
    if chroma < len(CHROMA):
        facts.note(pixel_format=CHROMA[chroma] + (f" {depth} bit" if depth != 8 else ""))
    bits.golomb()  # log2_max_frame_num_minus4
    order_type = bits.golomb()
    if order_type == 0:
        bits.golomb()  # log2_max_pic_order_cnt_lsb_minus4
    elif order_type == 1:
        bits.read()  # delta_pic_order_always_zero_flag
        bits.golomb()  # offset_for_non_ref_pic
        bits.golomb()  # offset_for_top_to_bottom_field
        for _ in range(bits.golomb()):
            bits.golomb()  # offset_for_ref_frame
    bits.golomb()  # max_num_ref_frames
    bits.read()  # gaps_in_frame_num_value_allowed_flag
    bits.golomb()  # pic_width_in_mbs_minus1
    bits.golomb()  # pic_height_in_map_units_minus1
    is_progressive = bits.read()
    facts.note(scan="progressive" if is_progressive else "interlaced")
    if not is_progressive:
        bits.read()  # mb_adaptive_frame_field_flag
    bits.read()  # direct_8x8_inference_flag
    is_cropped = bits.read()
    for _ in range(4 if is_cropped else 0):
        bits.golomb()
    if bits.read() and bits.read():  # vui_parameters_present_flag, aspect_ratio_info_present_flag
        aspect = bits.read(8)
        if aspect == OWN_ASPECT:
            facts.note(pixel_aspect=aspect_text(bits.read(16), bits.read(16)))
        elif 0 < aspect < len(PIXEL_ASPECTS):
            facts.note(pixel_aspect=PIXEL_ASPECTS[aspect])
    facts.note(pixel_aspect="1:1")  # what is not stated is square


def _skip_scaling(bits: Bits, size: int) -> None:
    last = following = 8
    for _ in range(size):
        if following:
            following = (last + bits.signed_golomb()) % 256
        last = following or last


def aspect_text(width: int, height: int) -> str:
    """Write the shape of a pixel; without one it is square."""
    from math import gcd

    if not (width and height):
        return "1:1"
    divisor = gcd(width, height)
    return f"{width // divisor}:{height // divisor}"


def read_hevc(config: bytes, facts: MediaFacts) -> None:
    """Read the decoder configuration of HEVC."""
    if len(config) < 19:
        return
    facts.note(video_profile=HEVC_PROFILES.get(config[1] & 31))
    depth = 8 + (config[17] & 7)
    facts.note(pixel_format=CHROMA[config[16] & 3] + (f" {depth} bit" if depth != 8 else ""))
    if scan := {2: "progressive", 1: "interlaced"}.get(config[6] >> 6):
        facts.note(scan=scan)


def read_vp9(config: bytes, facts: MediaFacts) -> None:
    """Read the decoder configuration of VP8 and VP9."""
    if len(config) >= 7:
        facts.note(video_profile=f"Profile {config[4]}")
        facts.note(pixel_format=("4:2:0", "4:2:0", "4:2:2", "4:4:4")[config[6] >> 1 & 3], scan="progressive")


def read_av1(config: bytes, facts: MediaFacts) -> None:
    """Read the decoder configuration of AV1."""
    if len(config) >= 3:
        facts.note(video_profile={0: "Main", 1: "High", 2: "Professional"}.get(config[1] >> 5))
        facts.note(pixel_format={3: "4:2:0", 2: "4:2:2", 0: "4:4:4"}.get(config[2] >> 2 & 3))
        facts.note(scan="progressive")


def read_aac(config: bytes, facts: MediaFacts) -> None:
    """Read the decoder configuration of AAC (ISO 14496-3, 1.6.2.1)."""
    bits = Bits(config[:MAX_PARAMETER_BYTES])
    with suppress(IndexError):
        kind = bits.read(5)
        if kind == 31:
            kind = 32 + bits.read(6)
        facts.note(audio_profile=AAC_PROFILES.get(kind))
        if bits.read(4) == 15:
            bits.read(24)
        channels = bits.read(4)
        if channels < len(AAC_CHANNELS):
            facts.note(audio_channels=AAC_CHANNELS[channels])


def read_descriptors(data: bytes, facts: MediaFacts) -> None:
    """Read the elementary stream descriptor of MPEG-4 audio."""
    position = 0
    with suppress(IndexError):
        while position < len(data):
            tag = data[position]
            position += 1
            size = 0
            for _ in range(4):
                byte = data[position]
                position += 1
                size = size << 7 | byte & 0x7F
                if byte < 0x80:
                    break
            if tag == 3:  # holds the others, after its id and what its flags announce
                flags = data[position + 2]
                position += 3 + (2 if flags & 0x80 else 0)  # in the order of ISO 14496-1, 7.2.6.5
                if flags & 0x40:
                    position += 1 + data[position]
                if flags & 0x20:
                    position += 2
            elif tag == 4:
                kind = data[position]
                name = {0x40: "AAC", 0x66: "AAC", 0x67: "AAC", 0x68: "AAC", 0x69: "MP3", 0x6B: "MP3"}
                facts.audio_codec = name.get(kind, "MPEG-4 audio")
                if kind == 0x67:
                    facts.note(audio_profile="LC")
                position += 13
            else:
                if tag == 5 and facts.audio_codec == "AAC":
                    read_aac(data[position : position + size], facts)
                position += size
