"""How a publication is named by its day or month: «publicada el …», «DOF del …», «decreto de abril de …»."""

from __future__ import annotations

import re

# «publicado entre el 1 y el 5 de enero» and «publicado antes del 5» name a period, not a day.
_GAP = r"(?:(?!\b(?:entre|desde|hasta|antes|despues|partir|siguiente|vigor|vigencia)\b)[^.,;:?]){0,60}?"
_VERBS = (
    r"public(?:ad[oa]s?|o|aron|acion)|sali(?:o|eron)|sac(?:o|aron)"
    r"|aparec(?:io|ieron|id[oa]s?)|repiti(?:o|eron)"
)
_ON = r"(?:el|en|(?:con|de) fecha)(?:\s+(?:el|dia|pasado|fecha|mes|de)\b)*"
_PLACES = r"dof|diario oficial(?: de la federacion)?|edicion(?: \w+)?|publicacion(?:es)?"
_PUBLISHED = re.compile(
    rf"(?:\b(?:{_VERBS})\b{_GAP}\b{_ON}"
    rf"|\b(?:{_PLACES})[\s,:(]+(?:(?:del?|el|en)\s+)?(?:(?:dia|fecha)\s+)?)\s*$"
)
_WORKS = (
    "decreto|acuerdo|reforma|ley|resolucion|aviso|norma|lineamientos|reglas|circular|declaratoria|convenio"
    "|reglamento|fe de erratas"
)
# «aviso del INPC de diciembre», «ley vigente a partir de enero»: the month is not that of the publication.
_OTHER_MONTHS = (
    "que|para|sobre|inpc|indice|valor|valores|salarios?|cierre|corte|periodo|ejercicio|mes|meses|vigente|aplicable"
    "|partir|desde|hasta|vigor|fines|principios|antes|despues"
)
_DATED = re.compile(rf"\b(?:{_WORKS})\b(?:\s+(?!(?:{_OTHER_MONTHS})\b)[a-z]+){{0,6}}?\s+del?\s+$")

# A text asks this of each of its dates: what may be said between the two words is never so long.
_REACH = 200


def names_publication(text: str, end: int) -> bool:
    """Whether what a folded text says before ``end``, where a date begins, makes it that of a publication."""
    return any(pattern.search(text, max(0, end - _REACH), end) for pattern in (_PUBLISHED, _DATED))
