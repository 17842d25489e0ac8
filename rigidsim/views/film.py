"""Writing pictures to files: PNG and GIF by Pillow, MP4 and WebM by ffmpeg."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise
from types import SimpleNamespace

from rigidsim.arguments import needed
from rigidsim.errors import StorageError
from rigidsim.trajectory.destination import FileKind
from rigidsim.trajectory.spool import Spool

PNG = FileKind("a PNG picture", "PNG pictures", (".png",), rb"\x89PNG")
GIF = FileKind("a GIF", "GIFs", (".gif",), rb"GIF8")
MP4 = FileKind("an MP4 video", "MP4 videos", (".mp4",), rb".{4}ftyp")
WEBM = FileKind("a WebM video", "WebM videos", (".webm",), rb"\x1aE\xdf\xa3")
KINDS = (GIF, MP4, WEBM, PNG)
CODERS = {
    MP4: ("-f", "mp4", "-c:v", "libx264", "-preset", "medium", "-crf", "18", "-movflags", "+faststart"),
    WEBM: ("-f", "webm", "-c:v", "libvpx-vp9", "-b:v", "0", "-crf", "26", "-deadline", "good", "-cpu-used", "4"),
}
THREADS = 2
"""Of the encoder; its result depends on their number."""


def require_writer(kind: FileKind) -> None:
    """Raise UsageError if a package is missing without which a file of this kind cannot be made."""
    packages = {"PIL": "pillow", "embreex": "embreex"} | (
        {"imageio_ffmpeg": "imageio-ffmpeg"} if kind in CODERS else {}
    )
    for module, package in packages.items():
        needed(module, "videos", "video", package)


def write_gif(file: Spool, images: Iterable, n_image: int, fps: float, colours) -> None:
    """Write a GIF of images with the palette of another image; delays are multiples of 10 ms."""
    ends = [round(100 * k / fps) for k in range(n_image + 1)]
    delays = [10 * (after - before) for before, after in pairwise(ends)]
    reduced = (image.quantize(palette=colours, dither=0) for image in images)
    first = next(reduced)
    first.save(
        _stream(file), "GIF", save_all=True, append_images=reduced, loop=0, optimize=False, disposal=1,
        duration=delays if n_image > 1 else delays[0],
    )  # fmt: skip


def write_png(file: Spool, image) -> None:
    """Write one image."""
    image.save(_stream(file), "PNG")


def _stream(file: Spool) -> SimpleNamespace:
    """The file for Pillow, which would write past its buffer if it knew the number of the file."""
    return SimpleNamespace(write=file.write, flush=file.flush)


def palette_of(images: Sequence, colours: Iterable[str]):
    """An image whose palette has the colours of some images, and shades of the given ones `#rrggbb`."""
    from PIL import Image, ImageColor

    width, height = images[0].size
    strip = max(1, height // 40)
    shades = [tuple(int(part * light) for part in ImageColor.getrgb(colour)) for colour in dict.fromkeys(colours)
              for light in (0.4, 0.7, 1.0)]  # fmt: skip
    whole = Image.new("RGB", (width, height * len(images) + strip))
    for k, image in enumerate(images):
        whole.paste(image, (0, k * height))
    for k, shade in enumerate(shades):
        left, right = k * width // len(shades), (k + 1) * width // len(shades)
        whole.paste(shade, (left, height * len(images), right, height * len(images) + strip))
    return whole.quantize(256, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)


def write_video(file: Spool, images: Iterator, kind: FileKind, fps: float, title: str) -> None:
    """Write an MP4 or WebM video with ffmpeg. Raises StorageError with its message if it fails."""
    from imageio_ffmpeg import get_ffmpeg_exe

    first = next(images)
    width, height = first.size
    command = [
        get_ffmpeg_exe(), "-hide_banner", "-loglevel", "error", "-nostdin", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24",
        "-s", f"{width}x{height}", "-r", f"{fps:.9g}", "-i", "pipe:", "-an", "-pix_fmt", "yuv420p",
        "-threads", str(THREADS), "-fflags", "+bitexact", "-flags:v", "+bitexact", "-metadata", f"title={title}",
        *CODERS[kind], str(file.path),
    ]  # fmt: skip
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True) as coder:
        try:
            for image in chain([first], images):
                assert coder.stdin is not None
                coder.stdin.write(image.tobytes())
        except BrokenPipeError:
            pass  # ffmpeg has ended; its message says why
        except BaseException:
            coder.kill()
            raise
        _, message = coder.communicate()
    if coder.returncode:
        lines = message.decode(errors="replace").strip().splitlines() or [f"ffmpeg ended with {coder.returncode}"]
        raise StorageError(f"cannot write {file.final}: {_reason(lines)}")


def _reason(lines: Sequence[str]) -> str:
    """The line of ffmpeg's messages that tells why it failed."""
    full = [line for line in lines if "No space left" in line or "File too large" in line]
    return "No space left on device" if full else lines[-1]
