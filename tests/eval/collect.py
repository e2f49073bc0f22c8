"""Lays the two public collections out as one bundle, from clones of their repositories.

    git clone https://github.com/wshobson/agents
    git clone https://github.com/anthropics/skills
    python tests/eval/collect.py OUT agents skills

A clone may be bare. Their texts have licences of their own and stay out of this repository.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def collect(out: Path, clones: list[Path]) -> int:
    """Write every skill, agent and command of the clones below ``out``; how many there are."""
    (out / ".stash").mkdir(parents=True)
    taken: set[str] = set()
    for clone in clones:
        for path in _git(clone, "ls-tree", "-r", "--name-only", "-z", "HEAD").split("\0"):
            place = _place(path, taken)
            if place is None:
                continue
            taken.add(place)
            target = out / place
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(_git(clone, "show", f"HEAD:{path}"), encoding="utf-8")
    return len(taken)


def _place(path: str, taken: set[str]) -> str | None:
    """Where a file belongs in the bundle; below its plugin's name where another has its name."""
    parts = path.split("/")
    if parts[0] == "skills" and len(parts) == 3 and parts[2] == "SKILL.md":
        return path
    if parts[0] != "plugins" or len(parts) < 4 or parts[2] not in ("agents", "commands", "skills"):
        return None
    if parts[2] == "skills" and (len(parts) != 5 or parts[4] != "SKILL.md"):
        return None
    if parts[2] != "skills" and (len(parts) != 4 or not parts[3].endswith(".md")):
        return None
    place = "/".join(parts[2:])
    return place if place not in taken else "/".join((parts[2], parts[1], *parts[3:]))


def _git(clone: Path, *arguments: str) -> str:
    command = ["git", "-C", str(clone), *arguments]
    return subprocess.run(command, check=True, capture_output=True).stdout.decode("utf-8")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    print(f"{collect(Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]])} assets")
