"""Sings: a free speech voice speaks each line, and its spectrum is sung again on the notes of the melody.

Speech is split into phones. Vowels are held for the length of their notes and begin on the beat; the consonants before them
keep the length they are spoken with. A pulse train at the pitch of the melody, with the drift, the overshoot and the
vibrato of a singer, excites the minimum-phase spectrum; noise excites what has no voice.
"""

import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.io import wavfile
from scipy.ndimage import gaussian_filter1d, median_filter

RATE = 44_100
FRAME = 0.005
FFT = 2048
VOWELS = set('aa ae ah ao aw ax ay eh er ey ih iy ow oy uh uw'.split())
DIPHTHONGS = set('aw ay ey ow oy'.split())
UNVOICED = set('p t k f th s sh ch hh pau'.split())
HUMMED = set('m n ng l r w y'.split())
BUZZING = set('v dh z zh jh'.split())


@dataclass(frozen=True)
class Note:
    """One note: beats from the start of the song, MIDI pitch, and the syllable, `-` when it goes on from the last note."""

    start: float
    length: float
    pitch: int
    syllable: str


@dataclass(frozen=True)
class Voice:
    """Who sings. `tract` over 1 is a longer throat, `breath` 0 to 1, `low` and `high` the pitch of the speech in Hz."""

    speaker: str
    low: float
    high: float
    tract: float = 1.0
    breath: float = 0.25
    vibrato_cents: float = 32.0


@dataclass(frozen=True)
class Spoken:
    phones: list  # (name, start, end) in seconds
    power: np.ndarray  # frames x bins, at RATE
    voiced: np.ndarray  # frames: 0 to 1


# ---- speech ---------------------------------------------------------------------------------------------------------


def speak(voice: Voice, text: str):
    """Samples, their rate and the phones of a spoken line. `slt` is Festival's at 32 kHz, others are Flite's at 16 kHz."""
    with tempfile.TemporaryDirectory() as folder:
        wav, labels = Path(folder, 'line.wav'), Path(folder, 'line.lab')
        if voice.speaker == 'slt':
            script = Path(folder, 'line.scm')
            script.write_text(
                '(voice_cmu_us_slt_arctic_hts)\n(Parameter.set \'Duration_Stretch 1.25)\n'
                f'(set! line (SynthText "{text}"))\n(utt.save.wave line "{wav}" \'riff)\n(utt.save.segs line "{labels}")\n'
            )
            subprocess.run(['festival', '-b', str(script)], check=True)
            rows = [row.split() for row in labels.read_text().splitlines() if row and row[0] != '#']
            ends = [(row[2], float(row[0])) for row in rows]
        else:
            command = ['flite', '-voice', voice.speaker, '--setf', 'duration_stretch=1.25', '-psdur', '-t', text, '-o', str(wav)]
            said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            ends = [(name, float(end)) for name, end in re.findall(r'(\w+):([\d.]+)', said)]
        rate, samples = wavfile.read(wav)
    phones, start = [], 0.0
    for name, end in ends:
        phones.append((name, start, end))
        start = end
    return samples.astype(float) / 32_768, rate, phones


def pitch_of(samples, rate, voice: Voice):
    """The pitch of each frame by autocorrelation; frames without one borrow from their neighbours."""
    size = int(rate * 0.045)
    padded = np.pad(samples, size)
    shortest, longest = int(rate / voice.high), int(rate / voice.low)
    found = []
    for at in np.arange(0, len(samples), FRAME * rate):
        part = padded[int(at) + size // 2 : int(at) + size // 2 + size] * np.hanning(size)
        correlation = np.fft.irfft(np.abs(np.fft.rfft(part, 4 * size)) ** 2)
        lag = shortest + np.argmax(correlation[shortest:longest])
        found.append(rate / lag if correlation[lag] > 0.35 * correlation[0] and correlation[0] > 1e-3 else np.nan)
    found = np.array(found)
    there = ~np.isnan(found)
    if not there.any():
        return np.full(len(found), (voice.low * voice.high) ** 0.5)
    return median_filter(np.interp(np.arange(len(found)), np.flatnonzero(there), found[there]), 9)


def envelope(samples, rate, pitch):
    """Power spectra without their harmonics: a window of three periods, smoothed over two thirds of a harmonic."""
    bins = np.fft.rfftfreq(FFT, 1 / rate)
    frames = []
    for index, hz in enumerate(pitch):
        half = int(1.5 * rate / hz)
        centre = int(index * FRAME * rate)
        at = np.arange(centre - half, centre + half + 1)
        part = np.where((at >= 0) & (at < len(samples)), samples[np.clip(at, 0, len(samples) - 1)], 0)
        window = np.hanning(len(part) + 2)[1:-1]
        part = part * window / np.sqrt(np.sum(window**2))
        power = np.abs(np.fft.rfft(part, FFT)) ** 2 + 1e-12
        width = 2 * hz / 3
        total = np.concatenate([[0], np.cumsum(power)]) * (bins[1])
        edges = np.concatenate([bins - bins[1] / 2, [bins[-1] + bins[1] / 2]])
        smooth = (
            np.interp(bins + width / 2, edges, total) - np.interp(np.maximum(bins - width / 2, edges[0]), edges, total)
        ) / width
        cepstrum = np.fft.irfft(np.log(np.maximum(smooth, 1e-12)))
        quefrency = np.minimum(np.arange(FFT), FFT - np.arange(FFT)) / rate
        lifter = np.sinc(hz * quefrency) * (1.18 - 0.18 * np.cos(2 * np.pi * quefrency * hz))
        frames.append(np.exp(np.fft.rfft(cepstrum * lifter).real))
    return np.array(frames)


def stretch_up(power, rate, tract):
    """From the bins of the speech's rate to those of RATE; what lies above its top falls off gently."""
    have = np.fft.rfftfreq(FFT, 1 / rate) / tract
    want = np.fft.rfftfreq(FFT, 1 / RATE)
    top = have[-1] * 0.93
    level = np.log(power)
    out = np.array([np.interp(want, have, row) for row in level])
    anchor = np.argmin(np.abs(want - top))
    fall = np.maximum(want - top, 0) / 1000 * 0.9
    edge = level[:, (have > top * 0.85) & (have < top)].mean(axis=1)
    out[:, anchor:] = edge[:, None] - fall[None, anchor:]
    return np.exp(gaussian_filter1d(out, 0.8, axis=0))


def listen_to(voice: Voice, text: str) -> Spoken:
    samples, rate, phones = speak(voice, text)
    power = stretch_up(envelope(samples, rate, pitch_of(samples, rate, voice)), rate, voice.tract)
    voiced = np.ones(len(power))
    for name, start, end in phones:
        if name in UNVOICED:
            voiced[int(start / FRAME) : int(end / FRAME)] = 0
        elif name in BUZZING:
            voiced[int(start / FRAME) : int(end / FRAME)] = 0.6
    return Spoken(phones, power, gaussian_filter1d(voiced, 1.0))


# ---- the score of a line --------------------------------------------------------------------------------------------


def align(spoken: Spoken, notes, beat):
    """Points (sung second, spoken second): vowels on their notes, consonants before them. None between two is silence."""
    groups = []
    for note in notes:
        if note.syllable == '-':
            groups[-1].append(note)
        else:
            groups.append([note])
    nuclei = [i for i, (name, _, _) in enumerate(spoken.phones) if name in VOWELS]
    if len(nuclei) != len(groups):
        names = ' '.join(name for name, _, _ in spoken.phones)
        raise ValueError(f'{len(groups)} syllables, {len(nuclei)} vowels: {names}')
    starts = [group[0].start * beat for group in groups]
    ends = [(group[-1].start + group[-1].length) * beat for group in groups]
    spans = []  # (sung from, sung to, spoken from, spoken to, holds)
    for n, nucleus in enumerate(nuclei):
        before = nuclei[n - 1] if n > 0 else -1
        middle = list(range(before + 1, nucleus))
        pauses = [i for i in middle if spoken.phones[i][0] == 'pau']
        onset = [i for i in middle if not pauses or i > pauses[-1]]
        after = list(range(nucleus + 1, nuclei[n + 1] if n + 1 < len(nuclei) else len(spoken.phones)))
        pauses = [i for i in after if spoken.phones[i][0] == 'pau']
        coda = [i for i in after if i < pauses[0]] if pauses else []
        longest = 0.3 if n == 0 else min(0.3, 0.55 * (starts[n] - starts[n - 1]))
        place(spans, spoken, onset, starts[n], longest, before_it=True)
        coda_seconds = closing(spoken, coda, ends[n] - starts[n])
        next_onset = starts[n + 1] if n + 1 < len(nuclei) else ends[n]
        vowel_end = ends[n] - coda_seconds if coda else min(ends[n], next_onset)
        hold(spans, spoken, nucleus, starts[n], vowel_end)
        place(spans, spoken, coda, vowel_end, coda_seconds, before_it=False, stretched=True)
    return settle(spans)


def closing(spoken, coda, room):
    """How long the end of a word sounds: what can be sung (m, n, l) is sung longer than it is spoken."""
    seconds = sum((end - start) * (2.2 if name in HUMMED else 1) for name, start, end in (spoken.phones[i] for i in coda))
    return min(seconds, 0.4, 0.45 * room)


def place(spans, spoken, phones, at, longest, before_it, stretched=False):
    """Consonants as they were spoken, pressed together where there is no time."""
    if not phones:
        return
    start, end = spoken.phones[phones[0]][1], spoken.phones[phones[-1]][2]
    seconds = longest if stretched else min(end - start, longest)
    sung = (at - seconds, at) if before_it else (at, at + seconds)
    spans.append((*sung, start, end))


def hold(spans, spoken, nucleus, start, end):
    """A vowel held: its edges as spoken, its middle stretched; a diphthong waits before it turns."""
    name, first, last = spoken.phones[nucleus]
    edge = min(0.06, 0.3 * (last - first))
    turn = last - edge if name not in DIPHTHONGS else first + 0.45 * (last - first)
    late = last - turn
    if end - start <= (last - first):
        spans.append((start, end, first, last))
        return
    spans.append((start, start + edge, first, first + edge))
    spans.append((start + edge, end - late, first + edge, turn))
    spans.append((end - late, end, turn, last))


def settle(spans):
    """Where the next span begins before this one ends, this one yields."""
    spans = sorted(spans)
    settled = []
    for index, (start, end, first, last) in enumerate(spans):
        if index + 1 < len(spans) and end > spans[index + 1][0]:
            end = max(spans[index + 1][0], start + 0.01)
        settled.append((start, end, first, last))
    return settled


# ---- the singer -----------------------------------------------------------------------------------------------------


def melody_line(notes, beat, seconds, voice: Voice, seed):
    """Semitones at every millisecond: steps that overshoot a little as a voice does, vibrato on long notes, drift."""
    random = np.random.default_rng(seed)
    count = int(seconds * 1000)
    target = np.full(count, float(notes[0].pitch))
    depth = np.zeros(count)
    for note in notes:
        start, end = int((note.start * beat - 0.055) * 1000), int((note.start + note.length) * beat * 1000)
        target[max(start, 0) :] = note.pitch
        length = end - start
        if length > 420:
            rise = np.clip((np.arange(length) - 260) / 320, 0, 1)
            depth[max(start, 0) : max(start, 0) + length] = rise[: max(0, count - max(start, 0))]
    line, speed, omega, damping = target[0], 0.0, 0.036, 0.62
    out = np.empty(count)
    for at in range(count):
        speed += omega**2 * (target[at] - line) - 2 * damping * omega * speed
        line += speed
        out[at] = line
    rate = 5.3 + gaussian_filter1d(random.normal(0, 1, count), 400) * 6
    wave = np.sin(2 * np.pi * np.cumsum(rate) / 1000 + random.uniform(0, 6))
    depth = gaussian_filter1d(depth, 60)
    drift = gaussian_filter1d(random.normal(0, 1, count), 90) * 0.9 + gaussian_filter1d(random.normal(0, 1, count), 12) * 0.12
    return out + wave * depth * voice.vibrato_cents / 100 + drift * 0.07


def minimum_phase(power):
    cepstrum = np.fft.irfft(0.5 * np.log(np.maximum(power, 1e-14)))
    cepstrum[1 : FFT // 2] *= 2
    cepstrum[FFT // 2 + 1 :] = 0
    return np.exp(np.fft.rfft(cepstrum))


def sing(voice: Voice, text, notes, beat, seconds, seed=1, detune=0.0, late=0.0):
    """One line as mono samples at RATE for the whole song. `detune` in semitones and `late` in seconds make doubles."""
    spoken = listen_to(voice, text)
    spans = align(spoken, notes, beat)
    frames = np.arange(0, seconds, FRAME)
    source = np.full(len(frames), np.nan)
    for start, end, first, last in spans:
        inside = (frames >= start) & (frames < end)
        source[inside] = first + (frames[inside] - start) / max(end - start, 1e-3) * (last - first)
    sounding = ~np.isnan(source)
    index = np.clip(np.nan_to_num(source) / FRAME, 0, len(spoken.power) - 1)
    below = index.astype(int)
    above = np.minimum(below + 1, len(spoken.power) - 1)
    part = (index - below)[:, None]
    power = np.exp((1 - part) * np.log(spoken.power[below]) + part * np.log(spoken.power[above]))
    voiced = spoken.voiced[below]
    power *= level_of(power, voiced, sounding)[:, None]
    semitones = melody_line(notes, beat, seconds + 0.1, voice, seed) + detune
    hz = 440 * 2 ** ((semitones - 69) / 12)
    out = excite(power, voiced, sounding, hz, voice, np.random.default_rng(seed + 100))
    return np.roll(out, int(late * RATE))


def level_of(power, voiced, sounding):
    """Evens out the vowels, which speech lets fall towards the end of a line, and rounds the edges of silence."""
    loudness = 10 * np.log10(power[:, 5:300].sum(axis=1) + 1e-9)
    vowels = sounding & (voiced > 0.9)
    smooth = gaussian_filter1d(np.where(vowels, loudness, loudness[vowels].mean()), 24)
    gain = 10 ** (np.clip(0.8 * (loudness[vowels].mean() - smooth), -9, 12) / 10)
    return gain * gaussian_filter1d(sounding.astype(float), 2.2) ** 2


def excite(power, voiced, sounding, hz, voice: Voice, random):
    bins = np.fft.rfftfreq(FFT, 1 / RATE)
    breathy = 0.02 + (0.15 + 0.75 * voice.breath) / (1 + np.exp(-(bins - 4600) / 850))
    buzzing = 0.05 + 0.85 / (1 + np.exp(-(bins - 2600) / 500))
    out = np.zeros(int(len(power) * FRAME * RATE) + 2 * FFT)
    # the voice: a pulse a period
    at, last = 0.0, len(power) * FRAME - 0.02
    while at < last:
        frame = int(at / FRAME)
        pitch = hz[min(int(at * 1000), len(hz) - 1)]
        if sounding[frame] and voiced[frame] > 0.03:
            rough = breathy if voiced[frame] > 0.8 else np.maximum(breathy, buzzing)
            spectrum = minimum_phase(power[frame] * (1 - np.minimum(rough, 0.98)) * voiced[frame])
            spectrum[:3] *= 0.2
            exact = at * RATE
            shift = np.exp(-2j * np.pi * bins * ((exact - int(exact)) / RATE))
            start = int(exact)
            out[start : start + FFT] += np.fft.irfft(spectrum * shift) * np.sqrt(RATE / pitch)
        at += 1 / (pitch * (1 + random.normal(0, 0.0035)))
    # the breath: noise in overlapping frames
    hop = int(FRAME * RATE)
    window = np.hanning(2 * hop + 2)[1:-1]
    for frame in np.flatnonzero(sounding):
        rough = breathy if voiced[frame] > 0.8 else np.maximum(breathy, buzzing)
        rough = np.minimum(rough * voiced[frame] + (1 - voiced[frame]), 1)
        spectrum = minimum_phase(power[frame] * rough)
        burst = np.fft.irfft(np.fft.rfft(random.normal(0, 1, 2 * hop) * window, FFT) * spectrum)
        start = frame * hop
        out[start : start + FFT] += burst
    return out[: int(len(power) * FRAME * RATE)]
