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
        if meant is None:
            continue
        # To akm a bare ref means the bundle it stands in; only where it was a guess before may it
        # stay one.
        bare = citing.ref.bundle is None and (meant[0] == new_home or before[0] != home)
        if leads.after(citing.ref, new_home) == meant and (bare or citing.ref.bundle is not None):
            continue
        ref = respelled(citing, before[1], *meant)
        if bare:
            short = Ref(None, ref.concept_id, ref.fragment)
            ref = short if leads.after(short, new_home) == meant else ref
        span, text = edit_of(source.document, citing, ref)
        yield Change(span, text, "ref", ref)
