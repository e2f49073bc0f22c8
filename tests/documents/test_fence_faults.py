"""Fences that do not end where their author meant them to."""

from __future__ import annotations

import pytest

from akm_ls.documents.document import parse


def faults(text: str) -> list[tuple[str, int]]:
    """The kind of each fault and the 1-based line of the fence."""
    document = parse(text)
    return [
        (fault.kind, document.lines.line_of(fault.opener.start) + 1)
        for fault in document.fence_faults
    ]


def test_an_example_in_a_doc_comment_is_part_of_the_code_around_it() -> None:
    comment = "/**\n * @example\n * ```ts\n * add(1)\n * ```\n */\nadd()\n"
    text = f"# A\n\n```ts\n{comment}```\n\nprose\n"
    assert faults(text) == []
    assert not parse(text).is_doubtful(text.index("prose"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("text\n\n```bash\nmake\n", [("unclosed", 3)]),
        ("```markdown\n# T\n```bash\nmake\n```\nSee\n```\nafter\n", [("nested", 1)]),
        ("```bash\nmake\n```\n```\n\nprose\n\n```python\nx\n```\n", [("twice", 4)]),
        ("```bash\nmake\n\nprose\n\n```python\nx\n```\n", [("no-end", 1)]),
        ("prose\n```\n\nmore\n\n```python\nx\n```\n", [("twice", 2)]),
        ("~~~\nx\n", [("unclosed", 1)]),
        ("- item\n\n  ```sh\n  x\n\nafter\n", [("unclosed", 3)]),
    ],
)
def test_a_fault_is_told_by_its_kind(text: str, expected: list[tuple[str, int]]) -> None:
    assert faults(text) == expected
    assert faults(text.replace("\n", "\r\n")) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no fence\n",
        "```bash\nmake\n```\n",
        "````markdown\n```bash\nmake\n```\n````\n",
        "~~~markdown\n```bash\nmake\n```\n~~~\n",
        "```python\ndef f():\n    '''\n    ```js\n    ```\n    '''\n```\n",
        "> ```sh\n> x\n\nafter\n",
        "- ```sh\n  x\n  ```\n- y\n",
        "1. one\n\n   ```sh\n   x\n   ```\n\n2. two\n",
        "`````\n````\n```\n````\n`````\n",
        "<!--\n```\n-->\n\n```sh\nx\n```\n",
        "Say ``` once.\n",
        "```\nplain\n```\n\n```\nagain\n```\n",
        "```text\n``` with words that are no language\n```\n",
    ],
)
def test_sound_fences_have_no_fault(text: str) -> None:
    assert faults(text) == []


def test_what_may_be_code_or_prose_is_doubtful() -> None:
    text = "```markdown\n```sh\nx\n```\n[sample](sample.md)\n```\n[real](real.md)\n"
    document = parse(text)
    assert document.is_doubtful(text.index("[sample]"))
    assert not document.is_doubtful(text.index("[real]"))


def test_what_stands_before_the_fault_is_certain() -> None:
    text = "[a](a.md)\n\n```sh\nx\n```\n\n[b](b.md)\n\n```sh\ny\n"
    document = parse(text)
    assert not document.is_doubtful(text.index("[a]"))
    assert document.is_doubtful(text.index("y"))
