"""The advisory lock of a rebuild."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from akm_ls.index.locks import is_alive, live_holder, lock_path, rebuild_lock

from .conftest import Page, Site


@pytest.fixture
def other() -> Iterator[subprocess.Popen[bytes]]:
    """A process that does nothing but live."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        yield process
        process.kill()


def hold(site: Site, pid: int) -> None:
    os.makedirs(site.path("data"), exist_ok=True)
    with open(lock_path(site.store_path), "w", encoding="utf-8") as file:
        json.dump({"pid": pid, "launcher": 4240}, file)


def dead_pid() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_processes_that_live_and_that_do_not(other: subprocess.Popen[bytes]) -> None:
    assert is_alive(os.getpid())
    assert is_alive(other.pid)
    for pid in (dead_pid(), 0, -1, 2**40):
        assert not is_alive(pid)


def test_it_is_there_while_a_run_lasts(site: Site, page: Page) -> None:
    site.write({"team/knowledge/a.md": page()})
    held: list[bool] = []
    site.index(on_progress=lambda *_: held.append(os.path.exists(lock_path(site.store_path))))
    assert all(held)
    assert sorted(os.listdir(site.path("data"))) == ["akm-ls.db"]


def test_a_run_warns_and_goes_on(site: Site, page: Page, other: subprocess.Popen[bytes]) -> None:
    site.write({"team/knowledge/a.md": page()})
    hold(site, other.pid)
    report = site.index()
    assert report.entries == 1
    assert f"process {other.pid}, started by 4240" in report.warnings[0]
    assert live_holder(site.store_path) is not None, "it is still the other's lock"


def test_a_run_may_step_aside(site: Site, page: Page, other: subprocess.Popen[bytes]) -> None:
    site.write({"team/knowledge/a.md": page()})
    hold(site, other.pid)
    report = site.index(skip_if_locked=True)
    assert report.skipped_locked
    assert report.entries == 0
    assert not os.path.exists(site.store_path)


def test_the_lock_of_a_dead_process_is_taken_over(site: Site, page: Page) -> None:
    site.write({"team/knowledge/a.md": page()})
    hold(site, dead_pid())
    assert live_holder(site.store_path) is None
    report = site.index(skip_if_locked=True)
    assert (report.entries, report.warnings) == (1, ())
    assert not os.path.exists(lock_path(site.store_path))


@pytest.mark.parametrize("content", ["", "4242", "[]", '{"pid": "x"}', '{"pid": null}', "\0\xff"])
def test_a_lock_file_that_makes_no_sense_holds_nobody(site: Site, content: str) -> None:
    os.makedirs(site.path("data"))
    with open(lock_path(site.store_path), "w", encoding="latin-1") as file:
        file.write(content)
    with rebuild_lock(site.store_path) as holder:
        assert holder is None
    assert not os.path.exists(lock_path(site.store_path))


def test_a_run_within_a_run_of_one_process(site: Site) -> None:
    os.makedirs(site.path("data"))
    with rebuild_lock(site.store_path) as outer:
        with rebuild_lock(site.store_path) as inner:
            assert outer is inner is None
        assert os.path.exists(lock_path(site.store_path)), "the inner one does not give it up"
        assert live_holder(site.store_path) is None, "one's own lock is nobody else's"
    assert not os.path.exists(lock_path(site.store_path))


def test_only_one_of_many_takes_a_stale_lock(site: Site) -> None:
    hold(site, dead_pid())
    code = (
        "import sys, time; from akm_ls.index.locks import rebuild_lock\n"
        "with rebuild_lock(sys.argv[1]) as holder:\n"
        "    print(holder is None, flush=True); input()\n"
    )
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", code, site.store_path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    answers = [process.stdout.readline().strip() for process in processes if process.stdout]
    for process in processes:
        process.communicate("\n")
    assert sorted(answers) == ["False", "False", "False", "True"]
