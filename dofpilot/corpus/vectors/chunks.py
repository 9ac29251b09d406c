"""The chunks that have vectors, as an index looks them up: by row, by id, and by what filters ask."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from dofpilot.corpus.days import day_number
from dofpilot.corpus.errors import CorpusUnavailable
from dofpilot.corpus.names import CHUNKS_PER_DOCUMENT
from dofpilot.corpus.types import Filters
from dofpilot.corpus.vectors import source
from dofpilot.corpus.vectors.rows import Ids, Rows, starts_of

Mask = npt.NDArray[np.bool_]
Places = npt.NDArray[Any]
"""Places in the arrays of ``Chunks``, integers of any size."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The chunks that filters let through, and how many rows they have; ``mask=None`` for all chunks."""

    mask: Mask | None
    rows: int

    def places(self, total: int) -> Places:
        return np.arange(total) if self.mask is None else np.flatnonzero(self.mask)

    def among(self, places: Places) -> Places:
        return places if self.mask is None else places[self.mask[places]]


@dataclass(frozen=True, eq=False)
class Chunks:
    """The chunks that have vectors and are in the corpus, in the order of their rows: (n,) each.

    Some 23 bytes of memory for a chunk: numbers are as small as they fit.
    """

    ids: Ids
    starts: Places
    windows: Places
    days: npt.NDArray[np.int32]
    sections: npt.NDArray[np.int8]
    by_id: Places
    """Places in the order of ids."""

    def __len__(self) -> int:
        return len(self.ids)

    def first_from(self, row: int) -> int:
        """The place of the first chunk that begins at ``row`` or later."""
        return int(self._before(np.array([row]), side="left")[0])

    def of_rows(self, rows: Ids) -> Places:
        """The places of the chunks that rows belong to, each once; rows of no chunk are left out."""
        places = self._before(rows, side="right") - 1
        inside = (places >= 0) & (rows < self.starts[places] + self.windows[places])
        return np.unique(places[inside])

    def of_documents(self, document_ids: Sequence[int]) -> Places:
        """The places of the chunks of the documents."""
        codes = np.unique(np.array(document_ids, dtype=np.int64))
        lows = self._ranks(codes * CHUNKS_PER_DOCUMENT)
        highs = self._ranks((codes + 1) * CHUNKS_PER_DOCUMENT)
        each = [self.by_id[low:high] for low, high in zip(lows.tolist(), highs.tolist(), strict=True)]
        return np.concatenate([self.by_id[:0], *each])

    def of_ids(self, chunk_ids: Sequence[int]) -> Places:
        """The places of those among ``chunk_ids`` that have vectors, each once."""
        ids = np.unique(np.array(chunk_ids, dtype=np.int64))
        ranks = self._ranks(ids)
        places = self.by_id[ranks[ranks < len(self)]]
        having: Places = places[self.ids[places] == ids[: len(places)]]
        return having

    def selection(self, filters: Filters) -> Selection:
        """What the filters let through, by looking at every chunk."""
        mask = self.allowed(filters, slice(None))
        if mask.all():
            return Selection(None, int(self.windows.sum(dtype=np.int64)))
        # A fifth of the time of a sum over the places that the mask picks.
        return Selection(mask, int((self.windows * mask).sum(dtype=np.int64)))

    def allowed(self, filters: Filters, places: Places | slice) -> Mask:
        """Which of the chunks at ``places`` the filters let through."""
        days = self.days[places]
        mask = np.ones(len(days), dtype=bool)
        for limit in (filters.as_of, filters.date_to):
            if limit:
                mask &= days <= day_number(limit)
        if filters.date_from:
            mask &= days >= day_number(filters.date_from)
        if filters.section:
            mask &= self.sections[places] == source.SECTIONS[filters.section]
        return mask

    def _before(self, rows: Ids, *, side: Any) -> Ids:
        """How many chunks begin before each row."""
        # With another type than the array's, numpy would make a copy of the whole array first.
        return np.searchsorted(self.starts, rows.astype(self.starts.dtype), side)

    def _ranks(self, ids: Ids) -> Ids:
        """How many chunks have a lower id than each of ``ids``.

        Written out: numpy's search with a sorter makes a copy of a sorter of 4 bytes for each number.
        """
        found = np.zeros(len(ids), np.int64)
        for power in reversed(range(len(self).bit_length())):
            probed = found + (1 << power)
            inside = np.minimum(probed, len(self))
            less = (probed == inside) & (self.ids[self.by_id[inside - 1]] < ids)
            found[less] = probed[less]
        return found


def read_chunks(directory: Path, rows: Rows, *, is_current: bool) -> Chunks:
    """The chunks of ``rows``; where they are of another state of the corpus, those that it still has.

    Raise ``CorpusUnavailable`` where rows are not whole chunks, or of documents that do not exist.
    """
    try:
        starts = starts_of(rows.owners)
    except ValueError as error:
        raise CorpusUnavailable(f"los vectores de «{directory}» están dañados: {error}") from error
    owners = rows.owners[starts]
    if not is_current:
        alive = source.known_chunks(directory).having(owners["chunk_id"], owners["digest"])
        starts, owners = starts[alive], owners[alive]
    ids = owners["chunk_id"].astype(np.int64)
    known = source.documents(directory)
    codes = ids // CHUNKS_PER_DOCUMENT
    places = np.minimum(np.searchsorted(known.ids, codes), len(known.ids) - 1)
    if (known.ids[places] != codes).any():
        raise CorpusUnavailable(f"los vectores de «{directory}» nombran documentos que no existen")
    return Chunks(
        ids=ids,
        starts=_small(starts, np.int32, len(rows)),
        windows=_small(owners["windows"], np.uint16, int(owners["windows"].max(initial=0))),
        days=known.days[places],
        sections=known.sections[places],
        by_id=_small(np.argsort(ids, kind="stable"), np.int32, len(ids)),
    )


def _small(values: Places, kind: type[np.integer[Any]], largest: int) -> Places:
    return values.astype(kind if largest <= np.iinfo(kind).max else np.int64)
