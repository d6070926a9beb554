"""Parts for instruments: note data, played by FluidSynth from a free General MIDI sound font, or made here."""

import struct
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from scipy.io import wavfile

RATE = 44_100
SOUND_FONT = '/usr/share/sounds/sf2/MuseScore_General_Full.sf2'
TICKS = 960
DRUMS = 9


@dataclass(frozen=True)
class Part:
    """Notes are (start, length, pitch, velocity) in beats; `program` is General MIDI's number, `kit` that of a drum kit."""

    name: str
    notes: list
    program: int = 0
    kit: int | None = None
    loose: float = 0.012  # seconds that a player is early or late
    swell: list = field(default_factory=list)  # (beat, expression 0 to 127)


def humanized(part: Part, beat: float):
    """The same notes as somebody would play them: a little early, late, softer and louder. Always the same way."""
    random = np.random.default_rng(sum(part.name.encode()))
    for start, length, pitch, velocity in sorted(part.notes):
        at = max(0.0, start + random.normal(0, part.loose) / beat)
        yield at, max(0.05, length), pitch, int(np.clip(velocity + random.normal(0, 4), 1, 127))


def midi(part: Part, beat: float) -> bytes:
    channel = DRUMS if part.kit is not None else 0
    events = [(0, bytes([0xC0 | channel, part.kit if part.kit is not None else part.program]))]
    events += [(int(at * TICKS), bytes([0xB0 | channel, 11, level])) for at, level in part.swell]
    for start, length, pitch, velocity in humanized(part, beat):
        events.append((int(start * TICKS), bytes([0x90 | channel, pitch, velocity])))
        events.append((int((start + length) * TICKS), bytes([0x80 | channel, pitch, 0])))
    track, last = bytearray(b'\x00\xff\x51\x03' + int(beat * 1e6).to_bytes(3, 'big')), 0
    for at, event in sorted(events, key=lambda event: (event[0], event[1][0] & 0xF0)):
        track += quantity(at - last) + event
        last = at
    track += b'\x00\xff\x2f\x00'
    return b'MThd' + struct.pack('>IHHH', 6, 0, 1, TICKS) + b'MTrk' + struct.pack('>I', len(track)) + bytes(track)


def quantity(value: int) -> bytes:
    out = [value & 0x7F]
    while value := value >> 7:
        out.append((value & 0x7F) | 0x80)
    return bytes(reversed(out))


def play(part: Part, beat: float, seconds: float) -> np.ndarray:
    """Stereo samples of one part, `seconds` long."""
    with tempfile.TemporaryDirectory() as folder:
        score, sound = Path(folder, 'part.mid'), Path(folder, 'part.wav')
        score.write_bytes(midi(part, beat))
        subprocess.run(
            ['fluidsynth', '-niq', '-R', '0', '-C', '0', '-g', '0.7', '-r', str(RATE), '-F', str(sound), SOUND_FONT, str(score)],
            check=True,
            capture_output=True,
        )
        _, samples = wavfile.read(sound)
    out = np.zeros((int(seconds * RATE), 2))
    count = min(len(out), len(samples))
    out[:count] = samples[:count] / 32_768
    return out


def log_drum(notes, beat: float, seconds: float) -> np.ndarray:
    """The log drum of amapiano: a sine that falls onto its note, driven until it is wood."""
    out = np.zeros(int(seconds * RATE) + RATE)
    for start, length, pitch, velocity in notes:
        t = np.arange(int(min(length * beat + 0.25, 0.9) * RATE)) / RATE
        hz = 440 * 2 ** ((pitch - 69) / 12)
        phase = 2 * np.pi * np.cumsum(hz * (1 + 0.9 * np.exp(-t / 0.018))) / RATE
        body = np.tanh(2.2 * np.sin(phase) * np.exp(-t / 0.22)) + 0.25 * np.sin(2.7 * phase) * np.exp(-t / 0.03)
        body *= np.minimum(1, t / 0.002) * np.minimum(1, (t[-1] - t) / 0.04)
        at = int(start * beat * RATE)
        out[at : at + len(body)] += body * velocity / 127
    return np.repeat(out[: int(seconds * RATE), None], 2, axis=1) * 0.5


def steps(pattern, start, length, pitch, velocity, per_beat=4):
    """Notes at steps of a bar: `pattern` holds steps, or (step, velocity)."""
    notes = []
    for one in pattern:
        step, loud = one if isinstance(one, tuple) else (one, velocity)
        notes.append((start + step / per_beat, length, pitch, loud))
    return notes


def transposed(notes, semitones: int):
    return [(start, length, pitch + semitones, velocity) for start, length, pitch, velocity in notes]
