"""Listens to the samples with instruments instead of ears: `python3 web/samples/listen.py`.

Of the mixes: loudness, peaks, spectrum, silence, how alike the two takes of a song are as sound and as harmony. Of the lead
voice alone: how far its long notes lie from the score, and whether a speech recogniser picks the sung line among thirty.
"""

import subprocess
import tempfile
from pathlib import Path

import numpy as np
from pocketsphinx import Decoder
from scipy.io import wavfile
from scipy.signal import resample_poly, stft, welch

import render
from mixing import RATE, blocks, loudness, true_peak
from singing import sing

MODEL = '/usr/share/pocketsphinx/model/en-us'
DECOYS = '''paper boats in the river|marry me soon|every word that i gathered|was falling like rain|i was mending my windows|
the evening gave in|left its mark on the table|read while he sleeps|wild again|again|gather your things|singing all night|
under the mango tree|nobody knows my name|leave it to me|seven letters and a ring|i am walking on the shore|hold the line tonight|
bring the money home'''.replace('\n', '').split('|')
OCTAVES = (63, 125, 250, 500, 1_000, 2_000, 4_000, 8_000)


def decoded(name: str) -> np.ndarray:
    with tempfile.TemporaryDirectory() as folder:
        wav = Path(folder, 'sample.wav')
        subprocess.run(['lame', '--quiet', '--decode', str(render.OUT / f'{name}.mp3'), str(wav)], check=True)
        return wavfile.read(wav)[1] / 32_768


def spectrum(sound):
    hz, power = welch(sound.mean(axis=1), RATE, nperseg=8_192)
    levels = [10 * np.log10(power[(hz > middle / 1.414) & (hz < middle * 1.414)].sum()) for middle in OCTAVES]
    return [round(level - max(levels)) for level in levels]


def silence(sound):
    """Seconds below -50 dB at the start and at the end."""
    level = 10 * np.log10(blocks((sound**2).mean(axis=1)).mean(axis=1) + 1e-12)
    loud = np.flatnonzero(level > -50)
    return loud[0] / 1000, (len(level) - loud[-1]) / 1000


def harmony(sound, bpm, key):
    """Twelve pitch classes a beat, in the key the song is written in."""
    hz, at, bins = stft(sound.mean(axis=1), RATE, nperseg=8_192, noverlap=6_144)
    inside = (hz > 100) & (hz < 1_500)
    classes = np.round(12 * np.log2(hz[inside] / 440) + 69 - key).astype(int) % 12
    per_beat = np.array([np.abs(bins[inside])[:, (at * bpm / 60).astype(int) == beat].sum(axis=1) for beat in range(int(at[-1] * bpm / 60))])
    chroma = np.stack([per_beat[:, classes == n].sum(axis=1) for n in range(12)], axis=1)
    return chroma - chroma.mean(axis=1, keepdims=True)


def alike(one, other, shift=0):
    """The mean correlation, beat by beat, of two harmonies; `shift` beats apart for comparison with chance."""
    other = np.roll(other, shift, axis=0)
    count = min(len(one), len(other))
    return np.mean([np.corrcoef(one[n], other[n])[0, 1] for n in range(count - 4)])


def mixes():
    sounds = {}
    for name in render.TAKES:
        sound = sounds[name] = decoded(name)
        print(
            f'{name}: {len(sound) / RATE:.1f} s, {loudness(sound):.1f} LUFS, true peak {true_peak(sound):.1f} dB, clipped {(np.abs(sound) >= 0.9999).sum()}, '
            f'silence {silence(sound)}, left and right {np.corrcoef(sound.T)[0, 1]:.2f}, octaves from 63 Hz {spectrum(sound)}'
        )
    for song, keys in (('temi', (-2, -4)), ('jonah', (0, -2))):
        a, b = (sounds[f'{song}-{take}'].mean(axis=1) for take in 'ab')
        count = min(len(a), len(b))
        chromas = [harmony(sounds[f'{song}-{take}'], render.TAKES[f'{song}-{take}']().bpm, key) for take, key in zip('ab', keys, strict=True)]
        print(
            f'{song}: A and B as sound {np.corrcoef(a[:count], b[:count])[0, 1]:.2f}, '
            f'as harmony beat by beat {alike(*chromas):.2f} (a bar apart {alike(*chromas, shift=4):.2f})'
        )


def recogniser(lines):
    with tempfile.NamedTemporaryFile('w', suffix='.jsgf', delete=False) as grammar:
        grammar.write('#JSGF V1.0;\ngrammar lines;\npublic <line> = ' + ' | '.join(lines) + ';\n')
    config = Decoder.default_config()
    for key, value in (('-hmm', f'{MODEL}/en-us'), ('-dict', f'{MODEL}/cmudict-en-us.dict'), ('-jsgf', grammar.name), ('-logfn', '/dev/null')):
        config.set_string(key, value)
    for key in ('-beam', '-wbeam', '-pbeam'):
        config.set_float(key, 1e-100)
    return Decoder(config)


def heard(decoder, sound):
    slow = resample_poly(sound, 160, 441)
    decoder.start_utt()
    decoder.process_raw((slow / np.abs(slow).max() * 20_000).astype('<i2').tobytes(), False, True)
    decoder.end_utt()
    return decoder.hyp().hypstr if decoder.hyp() else ''


def out_of_tune(sound, notes, beat):
    """Cents between the middle of each long note and the score."""
    found = []
    for note in notes:
        start, end = note.start * beat + 0.2, (note.start + note.length) * beat - 0.12
        if end - start < 0.15:
            continue
        part = sound[int(start * RATE) : int(end * RATE)] * np.hanning(int(end * RATE) - int(start * RATE))
        correlation = np.fft.irfft(np.abs(np.fft.rfft(part, 4 * len(part))) ** 2)
        hz = 440 * 2 ** ((note.pitch - 69) / 12)
        lags = np.arange(int(RATE / hz / 1.08), int(RATE / hz * 1.08))
        lag = lags[np.argmax(correlation[lags])]
        before, here, after = correlation[lag - 1 : lag + 2]
        found.append(1200 * np.log2(RATE / (lag + 0.5 * (before - after) / (before - 2 * here + after)) / hz))
    return found


def voices():
    words = {name: [(one, one.words.lower().translate(str.maketrans('', '', ',.'))) for one in make().singers[0].lines] for name, make in render.TAKES.items()}
    decoder = recogniser(sorted({said for lines in words.values() for _, said in lines} | set(DECOYS)))
    for name, make in render.TAKES.items():
        take, right, cents = make(), 0, []
        beat, lead = 60 / take.bpm, take.singers[0]
        for n, (one, said) in enumerate(words[name]):
            sound = sing(lead.voice, one.words, one.notes, beat, render.take_seconds(take), seed=lead.seed * 50 + n)
            start, end = one.notes[0].start * beat - 0.5, (one.notes[-1].start + one.notes[-1].length) * beat + 0.4
            right += heard(decoder, sound[int(max(start, 0) * RATE) : int(end * RATE)]) == said
            cents += out_of_tune(sound, one.notes, beat)
        print(f'{name}: {right} of {len(words[name])} lines understood; long notes {np.median(np.abs(cents)):.0f} cents from the score (median)')


if __name__ == '__main__':
    mixes()
    voices()
