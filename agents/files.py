"""Files written whole or not at all. Cheap to import."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = ["check_folder", "write_json", "write_whole"]


def write_whole(files: Mapping[Path, bytes | str]) -> None:
    """Write files beside their places first; only when all are there, move them there.

    Raises:
        OSError: if one cannot be written; then none has changed.
    """
    waiting: list[tuple[str, Path]] = []
    try:
        for path, data in files.items():
            handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
            waiting.append((temporary, path))
            with os.fdopen(handle, "wb") as file:
                file.write(data.encode() if isinstance(data, str) else data)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(temporary, 0o644)  # mkstemp lets nobody else read
        while waiting:
            os.replace(*waiting[0])
            waiting.pop(0)
    except OSError as problem:
        problem.filename = problem.filename or str(path)
        raise
    finally:
        for temporary, _ in waiting:
            Path(temporary).unlink(missing_ok=True)


def write_json(path: Path, data: Any) -> None:
    """Write JSON that people can read. Raises OSError as :func:`write_whole`."""
    write_whole({path: json.dumps(data, indent=2) + "\n"})


def check_folder(folder: Path) -> None:
    """Make a folder and see that it can be written to.

    Raises:
        ValueError: if not; the message is one line.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as problem:
        raise ValueError(
            f"{folder}: cannot write there ({problem.strerror}); choose another folder"
        ) from None
