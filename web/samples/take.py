"""What a take is made of, in the words of a studio: channels with parts, and singers with lines."""

from dataclasses import dataclass, field, replace

from band import Part
from singing import Note, Voice


@dataclass(frozen=True)
class Channel:
    """A part on the desk: `level` in LU against the lead voice, place -1 to 1, filters in Hz and dB, and how much goes to the rooms."""

    part: Part
    level: float = -10.0
    place: float = 0.0
    cut: float = 40.0
    bright: float = 0.0
    small: float = 0.1
    large: float = 0.0
    echo: float = 0.0
    ducked: float = 0.0  # dB at most, while somebody sings
    effect: str = ''  # 'rotary', 'log drum'


@dataclass(frozen=True)
class Line:
    """Words as they are written for the speech voice, and their notes."""

    words: str
    notes: tuple


@dataclass(frozen=True)
class Singer:
    """Who sings which lines, and how: the lead, a double (detuned, a little late), or a harmony."""

    voice: Voice
    lines: tuple
    level: float = 0.0
    place: float = 0.0
    detune: float = 0.0
    late: float = 0.0
    seed: int = 1
    large: float = 0.22
    echo: float = 0.0
    bright: float = 5.0


@dataclass(frozen=True)
class Take:
    """`song` and `name` make the file's name; `bars` of four beats."""

    song: str
    name: str
    bpm: float
    bars: float
    tail: float
    channels: tuple
    singers: tuple
    hall: float = 2.2
    fade: float = 1.6


def line(words: str, offset: float, transpose: int, *notes) -> Line:
    """Notes as (start, length, pitch, syllable) in beats from `offset`."""
    return Line(words, tuple(Note(offset + start, length, pitch + transpose, said) for start, length, pitch, said in notes))


def on_pitches(one: Line, *pitches: int, transpose: int = 0) -> Line:
    """The same words and rhythm on other notes: a harmony."""
    return Line(one.words, tuple(replace(note, pitch=pitch + transpose) for note, pitch in zip(one.notes, pitches, strict=True)))


def moved(one: Line, semitones: int) -> Line:
    return Line(one.words, tuple(replace(note, pitch=note.pitch + semitones) for note in one.notes))
