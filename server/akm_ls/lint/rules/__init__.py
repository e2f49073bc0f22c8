"""The rules, one module per topic."""

from __future__ import annotations

from akm_ls.lint.rule import Rule
from akm_ls.lint.rules import (
    anchors,
    assets,
    bundle_format,
    conventions,
    env_files,
    fences,
    fields,
    formats,
    frontmatter,
    legacy_refs,
    links,
    names,
    references,
    skill_directories,
    skills,
    stale_paths,
    stubs,
    superseded,
    suppressions,
    tasks,
    workflows,
)

ALL_RULES: tuple[Rule, ...] = (
    *frontmatter.RULES,
    *fields.RULES,
    *skills.RULES,
    *references.RULES,
    *legacy_refs.RULES,
    *superseded.RULES,
    *links.RULES,
    *anchors.RULES,
    *fences.RULES,
    *assets.RULES,
    *stale_paths.RULES,
    *stubs.RULES,
    *skill_directories.RULES,
    *workflows.RULES,
    *tasks.RULES,
    *env_files.RULES,
    *formats.RULES,
    *names.RULES,
    *bundle_format.RULES,
    *conventions.RULES,
    *suppressions.RULES,
)
