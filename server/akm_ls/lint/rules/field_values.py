"""Whether a frontmatter value is one that some tool knows."""

from __future__ import annotations

import re
from functools import lru_cache

from akm_ls.bundles.schema import Definition, Key
from akm_ls.bundles.schema.spelling import likely
from akm_ls.documents.frontmatter import Frontmatter
from akm_ls.documents.nodes import Pair, Scalar
from akm_ls.lint.finding import Finding, Fix, Severity, TextEdit
from akm_ls.lint.rules.field_types import fits_any, is_template, is_text
from akm_ls.lint.rules.powers import grants


def judge(frontmatter: Frontmatter, pair: Pair, definition: Definition) -> Finding | None:
    """What is wrong with a value of the right type; another rule may have its own word on a key."""
    value = pair.value
    if isinstance(value, Scalar) and is_text(value):
        keys = definition.of_text
    else:
        keys = tuple([key for key in definition.keys if fits_any(value, (key,))])
    if not keys:
        return None
    for key in keys:
        if key.judged_by:
            return None
    if is_template(value):
        return None
    if isinstance(value, Scalar) and value.text.strip():
        finding = _closed_set(pair, value, keys) or _pattern(pair, value, keys)
        finding = finding or _bounds(pair, value, keys)
        if finding is not None:
            return finding
    only_with = keys[0].only_with
    if only_with is not None and all(key.only_with for key in keys):
        name, wanted = only_with
        if frontmatter.text(name) != wanted:
            return _finding(
                "hint",
                f"`{pair.key.text}` has no effect without `{name}: {wanted}`.",
                pair,
                (),
                on_key=True,
            )
    return None


def _closed_set(pair: Pair, value: Scalar, keys: tuple[Key, ...]) -> Finding | None:
    if not keys[0].values or not all(key.values for key in keys):
        return None
    text = value.text.strip()
    if any(text in key.values or text in key.accepted for key in keys):
        return None
    values = tuple(dict.fromkeys(value for key in keys for value in key.values))
    known = ", ".join(f"`{value}`" for value in values)
    message = f"`{text[:60]}` is no value of `{pair.key.text}`: {known}."
    if len(values) == 1:
        message = f"`{text[:60]}` is no value of `{pair.key.text}`, which can only be {known}."
    meant = likely(text, values)
    fixes: tuple[Fix, ...] = ()
    if meant is not None:
        same = meant[0].lower() == text.lower() and not any(grants(key.name) for key in keys)
        fixes = (Fix(f"Write `{meant[0]}`", (TextEdit(value.inner, meant[0]),), safe=same),)
    return _finding(_severity(keys), message, pair, fixes)


def _pattern(pair: Pair, value: Scalar, keys: tuple[Key, ...]) -> Finding | None:
    if not keys[0].pattern or not all(key.pattern for key in keys):
        return None
    text = value.text.strip()
    if any(_compiled(key.pattern or "").fullmatch(text) for key in keys):
        return None
    says = next((key.pattern_says for key in keys if key.pattern_says), "of another form")
    message = f"`{text[:60]}` does not do for `{pair.key.text}`: it must be {says}."
    if says.startswith("no "):
        message = f"`{text[:60]}` does not do for `{pair.key.text}`: {says}."
    return _finding(_severity(keys), message, pair, ())


def _bounds(pair: Pair, value: Scalar, keys: tuple[Key, ...]) -> Finding | None:
    key = keys[0]
    plain = value.plain
    if len(keys) > 1 or (key.minimum is None and key.maximum is None):
        return None
    if isinstance(plain, int | float) and not isinstance(plain, bool):
        if key.minimum is not None and plain < key.minimum:
            message = f"`{pair.key.text}` must be {key.minimum} or more."
            return _finding(_severity(keys), message, pair, ())
    elif isinstance(plain, str) and key.maximum is not None and len(plain) > key.maximum:
        message = f"`{pair.key.text}` has {len(plain)} characters; the limit is {key.maximum}."
        return _finding(_severity(keys), message, pair, ())
    return None


def _severity(keys: tuple[Key, ...]) -> Severity:
    levels = {key.on_wrong_value for key in keys}
    return "hint" if "hint" in levels else "warning" if "warning" in levels else "error"


@lru_cache(maxsize=64)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _finding(
    severity: Severity, message: str, pair: Pair, fixes: tuple[Fix, ...], *, on_key: bool = False
) -> Finding:
    return Finding(
        code="field-value",
        severity=severity,
        message=message,
        span=pair.key.span if on_key else pair.value.span,
        data={"key": pair.key.text},
        fixes=fixes,
    )
