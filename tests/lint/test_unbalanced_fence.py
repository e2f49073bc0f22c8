"""What is said of a fence that does not end where it should, and what mends it."""

from __future__ import annotations

import pytest
from one_document import codes, findings

from akm_ls.lint.finding import Finding
from akm_ls.lint.fixes import apply_edits


def only(text: str) -> Finding:
    (found,) = (f for f in findings(text) if f.code == "unbalanced-fence")
    return found


@pytest.mark.parametrize(
    ("text", "says", "mended"),
    [
        (
            "# A\n\n```bash\nmake\n",
            "This code fence is never closed",
            "# A\n\n```bash\nmake\n```\n",
        ),
        (
            "```markdown\n# T\n```sh\nx\n```\n```\nafter\n",
            "This code fence ends too early: it holds ```sh on line 3",
            "````markdown\n# T\n```sh\nx\n```\n````\nafter\n",
        ),
        (
            "```sh\nx\n```\n```\n\nprose\n\n```python\ny\n```\n",
            "This line opens a code fence, although it reads like the end of one: the one opened "
            "on line 1 is closed already",
            "```sh\nx\n```\n\nprose\n\n```python\ny\n```\n",
        ),
        (
            "- a\n\n  ```sh\n  x",
            "This code fence is never closed",
            "- a\n\n  ```sh\n  x\n  ```\n",
        ),
    ],
)
def test_the_message_names_the_line_and_the_fix_mends_it(text: str, says: str, mended: str) -> None:
    found = only(text)
    assert says in found.message
    (fix,) = found.fixes
    assert not fix.safe, "where a fence ends is for the author to say"
    assert apply_edits(text, fix.edits) == mended
    assert "unbalanced-fence" not in codes(mended)


@pytest.mark.parametrize(
    ("between", "says"),
    [
        ("", "Remove one of the closing lines"),
        ("\n", "Remove one of the closing lines"),
        ("\n## Next\n\nx = 1\n", "Open the fence that this line was meant to close"),
    ],
)
def test_an_end_too_many_may_want_a_beginning(between: str, says: str) -> None:
    found = only(f"```sh\nx\n```\n{between}```\n\nprose\n\n```python\ny\n```\n")
    assert says in found.message


def test_an_example_in_a_comment_of_the_code_opens_nothing() -> None:
    comment = "/**\n * Adds.\n *\n * @example\n * ```typescript\n * add(1)\n * ```\n */\nadd()\n"
    assert "unbalanced-fence" not in codes(f"# A\n\n```typescript\n{comment}```\n\nprose\n")

    listed = "```typescript\nadd()\n\n* first\n* ```python\n  x\n  ```\n"
    assert "is not closed before * ```python" in only(listed).message


def test_a_fence_that_runs_into_the_next_one() -> None:
    found = only("```bash\nmake\n\nprose\n\n```python\nx\n```\n")
    assert "This code fence is not closed before ```python on line 6" in found.message
    assert not found.fixes


def test_one_finding_instead_of_a_flood() -> None:
    sample = "See team//knowledge/gone and [x](x/gone.md).\n"
    text = f"```markdown\n# T\n```sh\nx\n```\n{sample}```\n\nafter\n"
    assert [code for code in codes(text) if code in ("missing-ref", "dead-link")] == []
    assert "missing-ref" in codes(sample)


def test_sound_fences_are_fine() -> None:
    assert "unbalanced-fence" not in codes("````md\n```sh\nx\n```\n````\n\n> ```\n> quoted\n")
