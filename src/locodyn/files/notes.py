"""What a file holds that a robot cannot, and the other way round: every such thing is said in a note."""

from __future__ import annotations

from dataclasses import dataclass

_SHOWN, _LOST = 3, 24  # names in a note about many things; what is lost is named as far as can be read


@dataclass(frozen=True)
class Note:
    """One remark about a conversion.

    Parameters
    ----------
    kind : str
        ``lost``: not carried over; ``changed``: carried over in another form; ``assumed``: it had to be supposed.
    about : str
        The thing, such as ``joint 'knee'``.
    text : str
        What became of it.
    line : int or None
        Where it stands in the file that was read.
    """

    kind: str
    about: str
    text: str
    line: int | None = None

    def __str__(self) -> str:
        place = "" if self.line is None else f"line {self.line}: "
        return f"{self.kind}: {place}{self.about}: {self.text}"


class Notes:
    """A list of notes in the making; the same remark about many things becomes one note."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str, str], list[tuple[str, int | None]]] = {}

    def lost(self, about: str, text: str, line: int | None = None) -> None:
        """Something that is not carried over."""
        self._add("lost", about, text, line)

    def changed(self, about: str, text: str, line: int | None = None) -> None:
        """Something that is carried over in another form."""
        self._add("changed", about, text, line)

    def assumed(self, about: str, text: str, line: int | None = None) -> None:
        """Something that had to be supposed."""
        self._add("assumed", about, text, line)

    def _add(self, kind: str, about: str, text: str, line: int | None) -> None:
        word = about.partition(" ")[0]
        found = self._found.setdefault((kind, word, text), [])
        if about not in [known for known, _ in found]:
            found.append((about, line))

    def all(self) -> tuple[Note, ...]:
        """The notes in the order of their first mention; things with the same remark are named together."""
        result = []
        for (kind, word, text), things in self._found.items():
            first, line = things[0]
            names = [about.partition(" ")[2] for about, _ in things]
            if len(things) == 1:
                about = first
            else:
                most = _LOST if kind == "lost" else _SHOWN
                shown = ", ".join(dict.fromkeys(name for name in names[:most] if name))
                about = f"{len(things)} x {word}" + (f" ({shown}{', ...' if len(names) > most else ''})" if shown else "")
            result.append(Note(kind, about, text, line))
        return tuple(result)
