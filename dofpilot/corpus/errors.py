"""What can go wrong with a corpus, by who may do something about it."""


class CorpusError(Exception):
    """Base of every error of the corpus. ``str(error)`` is a sentence fit for a log."""


class CorpusUnavailable(CorpusError):
    """The directory is missing, its manifest is damaged, or an index cannot be opened."""


class IntegrityError(CorpusError):
    """Stored bytes do not match their hash; nothing of the passage is served."""


class InvalidRequest(CorpusError):
    """An argument that this corpus refuses.

    ``field`` names the argument (``query``, ``as_of``, ``limit``, ``chunk_ids``, ...).
    """

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}")
        self.field = field
        self.reason = reason


class BadName(CorpusError):
    """A path outside the scheme of DESIGN §4. ``str(error)`` names the part that is wrong."""


class BadFile(CorpusError):
    """A file that cannot become a document; ``str(error)`` is the reason for the report."""


class BuildError(CorpusError):
    """Nothing was built: an empty tree, an output that is no corpus, another build at work."""
