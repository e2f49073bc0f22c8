"""Reading in other processes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from akm_ls import import_cache
from akm_ls.bundles.bundle import Bundle
from akm_ls.index import reader_process, scan, workers
from akm_ls.index.reader_process import Worker, WorkerDied
from akm_ls.index.rows import PreparedFile, prepare, prepared
from akm_ls.index.scan import FileToRead
from akm_ls.index.workers import Crew, read_files

from .conftest import Page, Site

FILES = 150


@pytest.fixture
def jobs(site: Site, page: Page) -> list[FileToRead]:
    site.write(
        {
            f"team/knowledge/{n:03}.md": page(f"Page {n}", f"# Ä {n}\n\nSee team//knowledge/{n}.\n")
            for n in range(FILES)
        }
    )
    return [FileToRead(f"knowledge/{n:03}.md", 1, 2, 0) for n in range(FILES)]


def collect(site: Site, jobs: list[FileToRead], **options: object) -> dict[str, PreparedFile]:
    batches = read_files([site.bundle()], [(0, jobs)], **options)  # type: ignore[arg-type]
    return {file.rel: file for _, files in batches for file in files}


def test_the_rows_are_the_same_wherever_they_are_made(site: Site, jobs: list[FileToRead]) -> None:
    here = collect(site, jobs, workers=0)
    assert len(here) == FILES
    assert collect(site, jobs, workers=2) == here
    assert here["knowledge/007.md"] == prepared(prepare(site.bundle(), *jobs[7]))


def booted_with(lines: str) -> str:
    """The boot code of a worker whose `prepare` does something else first."""
    return (
        "import sys, os, time, json; sys.path[:] = json.loads(sys.argv[1])\n"
        "from akm_ls.index import reader\n"
        "plain = reader.prepare\n"
        "def prepare(bundle, rel, *stat, **how):\n"
        f"    {lines}\n"
        "    return plain(bundle, rel, *stat, **how)\n"
        "reader.prepare = prepare\n"
        "reader.serve()\n"
    )


def test_a_file_that_kills_its_reader_is_left_out(
    site: Site, jobs: list[FileToRead], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader_process, "_BOOT", booted_with("if '007' in rel: os._exit(1)"))
    found = collect(site, jobs, workers=2)
    assert len(found) == FILES
    assert [file.rel for file in found.values() if file.entry is None] == ["knowledge/007.md"]
    assert "knowledge/007.md" in (found["knowledge/007.md"].warning or "")


def test_what_a_reader_prints_is_no_answer(
    site: Site, jobs: list[FileToRead], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader_process, "_BOOT", booted_with("print('noise', flush=True)"))
    assert len(collect(site, jobs, workers=1)) == FILES


def test_without_any_process_the_files_are_read_here(
    site: Site, jobs: list[FileToRead], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError("no more processes")

    monkeypatch.setattr(reader_process.subprocess, "Popen", refuse)
    found = collect(site, jobs, workers=2)
    assert len(found) == FILES
    assert all(file.entry is not None for file in found.values())


def test_if_no_process_can_do_anything_the_files_are_read_here(
    site: Site, jobs: list[FileToRead], monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[object] = []
    start = workers.start_worker

    def noted(*arguments: Any) -> Worker:
        started.append(arguments)
        return start(*arguments)

    monkeypatch.setattr(workers, "start_worker", noted)
    monkeypatch.setattr(reader_process, "_BOOT", "raise SystemExit")
    found = collect(site, jobs, workers=2)
    assert len(found) == FILES
    assert all(file.entry is not None for file in found.values())
    assert len(started) < 4 * workers.STILLBORN


def test_a_cancelled_reading_ends_at_once(
    site: Site, jobs: list[FileToRead], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader_process, "_BOOT", booted_with("time.sleep(30)"))
    started = time.monotonic()
    assert collect(site, jobs, workers=2, cancelled=lambda: True) == {}
    assert time.monotonic() - started < 15


def test_a_reader_takes_generated_code_from_the_file_of_this_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    generated = import_cache.Generated(str(tmp_path), "test")
    with generated.in_use():
        re.purge()
        re.compile("taken from (the|a) file")
    generated.keep()
    told = tmp_path / "told"
    asked = (
        "    from akm_ls import import_cache; import re\n"
        "    get = import_cache.Generated.get\n"
        "    import_cache.Generated.get = lambda *key: print('found') or get(*key)\n"
        f"    with open({str(told)!r}, 'w') as file, contextlib.redirect_stdout(file):\n"
        "        re.compile('taken from (the|a) file')\n"
    )
    start = "    from {program} import serve"
    boot = reader_process._BOOT.replace(start, asked + start)
    monkeypatch.setattr(reader_process, "_BOOT", f"import contextlib\n{boot}")
    worker = reader_process.start_worker([])
    with pytest.raises(WorkerDied):
        worker.ask("no such job")
        worker.answer()
    worker.stop()
    assert told.read_text() == "found\n"


def test_processes_that_were_started_before_are_the_ones_that_read(
    site: Site, jobs: list[FileToRead], monkeypatch: pytest.MonkeyPatch
) -> None:
    crew = Crew(stays=True)
    crew.start([site.bundle()])
    started = {member.pid for member in crew.members}
    assert len(started) == min(os.cpu_count() or 1, workers.MAX_WORKERS)

    def refuse(*_: object) -> None:
        raise OSError("no more processes")

    monkeypatch.setattr(workers, "start_worker", refuse)
    try:
        assert len(collect(site, jobs, workers=len(started), crew=crew)) == FILES
        assert {member.pid for member in crew.members} == started
        read = [file for member in crew.members for file in member.has_read]
        assert sorted(read) == [(0, job.rel) for job in jobs]
    finally:
        crew.dismiss()


def test_processes_that_were_started_for_other_bundles_are_not_asked(
    site: Site, jobs: list[FileToRead]
) -> None:
    crew = Crew(stays=True)
    crew.start([site.bundle("other")])
    started = {member.pid for member in crew.members}
    try:
        found = collect(site, jobs, workers=2, crew=crew)
        assert all(file.entry is not None for file in found.values())
        assert started.isdisjoint(member.pid for member in crew.members)
    finally:
        crew.dismiss()


def test_processes_start_while_a_bundle_is_listed_of_which_nothing_is_known(
    site: Site, jobs: list[FileToRead], monkeypatch: pytest.MonkeyPatch
) -> None:
    starts: list[list[str]] = []
    start = Crew.start

    def noted(crew: Crew, bundles: Sequence[Bundle]) -> None:
        starts.append([bundle.id for bundle in bundles])
        start(crew, bundles)

    monkeypatch.setattr(Crew, "start", noted)
    monkeypatch.setattr(scan, "MUCH", FILES - 1)
    assert site.index(workers=None).added == FILES
    assert starts == [["team"]]
    site.index(workers=None)
    assert starts == [["team"]], "there is nothing to read"
    site.index(workers=None, full=True)
    assert starts == [["team"], ["team"]]


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_readers_end_with_the_process_that_started_them(tmp_path: Path) -> None:
    code = (
        "import os, sys, time\n"
        "from akm_ls.bundles.bundle import Bundle\n"
        "from akm_ls.index.reader_process import start_worker\n"
        "worker = start_worker([Bundle('t', '/t', '/t', 'akm')])\n"
        "print(worker.pid, flush=True)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    pid = int(done.stdout)
    for _ in range(200):
        if not os.path.exists(f"/proc/{pid}"):
            break
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            if file.read().rpartition(")")[2].split()[0] == "Z":
                break
        time.sleep(0.05)
    else:
        pytest.fail("the reader outlived its parent")


def test_a_run_with_readers_writes_what_a_run_without_writes(
    site: Site, jobs: list[FileToRead]
) -> None:
    query = (
        "SELECT e.concept_id, e.description, e.embed_hash, c.concept_id, c.line"
        " FROM entries AS e JOIN citations AS c ON c.entry_id = e.id ORDER BY 1"
    )
    site.index(workers=0)
    alone = site.sql(query)
    site.store_path = site.path("data2/akm-ls.db")
    report = site.index(workers=2)
    assert report.entries == FILES
    assert site.sql(query) == alone
