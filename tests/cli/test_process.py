"""``akm-ls`` as a process: start, pipes, signals and errors."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from akm_ls import __version__
from akm_ls.cli import doctor, main

from .conftest import Run, write

AKM_LS = [sys.executable, "-m", "akm_ls"]


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"akm-ls {__version__}\n"


def test_the_version_costs_no_heavy_import() -> None:
    program = (
        "import sys; from akm_ls.cli import main; main(['--version']);"
        "print([m for m in ('rich', 'apsw', 'yaml', 'pygls', 'akm_ls.workspace') "
        "if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_commands_load_neither_the_protocol_nor_numpy_nor_a_http_client(
    alone: Path, team: Path
) -> None:
    program = (
        "import sys; from akm_ls.cli import main\n"
        "for line in ('check', 'search review', 'show skills/review', 'refs skills/review',\n"
        "             'doctor', 'index'):\n"
        "    assert main(line.split()) == 0, line\n"
        "heavy = {'pygls', 'lsprotocol', 'numpy', 'httpx', 'rich', 'watchfiles'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=team)
    assert done.stdout.splitlines()[-1:] == ["[]"], done.stderr


def test_commands_keep_what_is_generated_and_do_without(alone: Path, team: Path) -> None:
    command = [*AKM_LS, "--data-dir", str(alone / "data"), "show", "skills/review"]

    def ran() -> bytes:
        return subprocess.run(command, capture_output=True, cwd=team, check=True).stdout

    shown = ran()
    (kept,) = (alone / "data").glob("generated-commands-*.bin")
    whole, written = kept.read_bytes(), kept.stat().st_mtime_ns
    assert ran() == shown
    assert kept.stat().st_mtime_ns == written
    kept.write_bytes(whole[: len(whole) // 2])
    assert ran() == shown
    assert kept.stat().st_size >= len(whole) // 2 + 1


def test_wrong_usage_is_one_line_on_stderr(akm: Run) -> None:
    ran = akm("check", "--nope")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("akm-ls: ")
    assert ran.err.count("\n") == 1


def test_an_internal_error_is_one_line_and_exit_code_three(
    akm: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: object) -> int:
        raise KeyError("boom\n\x1b[2J")

    monkeypatch.setattr(doctor, "run", broken)
    ran = akm("doctor")
    assert (ran.code, ran.out) == (3, "")
    assert ran.err.count("\n") == 1
    assert "internal error: KeyError" in ran.err
    assert "--traceback" in ran.err
    assert "\x1b" not in ran.err
    with pytest.raises(KeyError):
        main(["doctor", "--traceback"])


def test_what_the_system_refuses_is_unusable_input(
    akm: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_: object) -> int:
        raise PermissionError(13, "Permission denied", "/some/file")

    monkeypatch.setattr(doctor, "run", refused)
    ran = akm("doctor")
    assert ran.code == 2
    assert ran.err == "akm-ls: /some/file: Permission denied\n"


def test_an_interrupt_is_quiet(akm: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(doctor, "run", interrupted)
    ran = akm("doctor")
    assert (ran.code, ran.out, ran.err) == (130, "", "")


@pytest.mark.skipif(os.name == "nt", reason="pipes break differently there")
@pytest.mark.parametrize("arguments", [["check"], ["check", "--format", "json"]])
def test_a_closed_pipe_is_quiet(alone: Path, team: Path, arguments: list[str]) -> None:
    write(team, {"knowledge/bad.md": "see team//knowledge/gone\n" * 3_000})
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as stdout:
        done = subprocess.run(
            [*AKM_LS, *arguments], stdout=stdout, stderr=subprocess.PIPE, cwd=team, text=True
        )
    assert done.stderr == ""
    assert done.returncode == 141


@pytest.mark.skipif(os.name == "nt", reason="there is no closed stdout there")
def test_without_a_stdout_it_still_answers_by_its_exit_code(alone: Path, team: Path) -> None:
    script = 'exec "$0" -m akm_ls check >&-'
    done = subprocess.run(
        ["sh", "-c", script, sys.executable], cwd=team, stderr=subprocess.PIPE, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(os.name == "nt", reason="file names are Unicode there")
def test_a_file_name_that_is_no_text_is_left_out_and_said_to_be(alone: Path, team: Path) -> None:
    path = os.path.join(os.fsencode(team), b"knowledge", b"caf\xe9.md")
    with open(path, "wb") as file:
        file.write(b"see team//knowledge/gone\n")
    done = subprocess.run([*AKM_LS, "check"], cwd=team, capture_output=True, text=True)
    assert done.returncode == 0
    assert "caf\\udce9.md" in done.stderr
    done = subprocess.run([*AKM_LS, "check", "--format", "json"], cwd=team, capture_output=True)
    assert json.loads(done.stdout)["warnings"]
