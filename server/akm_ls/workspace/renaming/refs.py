"""The changes that keep refs leading where they led."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from akm_ls.refs import Ref
from akm_ls.workspace.renaming.occurrences import citings, edit_of, respelled
from akm_ls.workspace.renaming.plan import Change

if TYPE_CHECKING:
    from akm_ls.workspace.renaming.moves import Leads
    from akm_ls.workspace.renaming.view import Source


def ref_changes(source: Source, new_home: str, leads: Leads) -> Iterator[Change]:
    """The refs of one file that would lead elsewhere after the moves, rewritten.

    ``new_home`` is the bundle the file lies in afterwards. What leads nowhere now stays as it is.
    """
    home = source.bundle.id
    for citing in citings(source.document, source.bundle.adapter):
        before = leads.before(citing.ref, home)
        if before is None:
            continue
        meant = leads.meant(before)
        if meant is None or leads.after(citing.ref, new_home) == meant:
            continue
        bundle, concept_id = meant
        ref = respelled(citing, before[1], bundle, concept_id)
        bare = Ref(None, ref.concept_id, ref.fragment)
        if citing.ref.bundle is None and leads.after(bare, new_home) == meant:
            ref = bare
        span, text = edit_of(source.document, citing, ref)
        yield Change(span, text, "ref", ref)
