"""Makes the four samples of the landing page: `python3 web/samples/render.py [temi-a …]`. What it needs is in README.md."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from scipy.io import wavfile

import jonah_reyes
import temi_ade
from band import log_drum, play
from mixing import RATE, bell, compress, echo, high_pass, loudness, low_pass, master, pan, room, rotary, shelf
from singing import sing
from take import Channel, Singer, Take

HERE = Path(__file__).parent
OUT = HERE.parent / 'public' / 'samples'
PEAKS = HERE.parent / 'src' / 'features' / 'landing' / 'peaks.json'
TARGET_LUFS = -15.0
CEILING_DB = -1.8
LEAD_LUFS = -20.0
# lame turns everything down to 0.95 at this bit rate
LOUD_AS_GIVEN = '1.0526'
BARS_SHOWN = 90


def take_seconds(take: Take) -> float:
    return take.bars * 4 * 60 / take.bpm + take.tail


def at_level(sound: np.ndarray, level: float) -> np.ndarray:
    """As loud as it is meant to be against the lead voice, which stands at LEAD_LUFS."""
    return sound * 10 ** ((LEAD_LUFS + level - loudness(sound)) / 20)


def sung(singer: Singer, take: Take, seconds: float) -> np.ndarray:
    """A singer's lines, evened out and cleaned, in stereo."""
    beat = 60 / take.bpm
    mono = np.zeros(int(seconds * RATE))
    for n, one in enumerate(singer.lines):
        voice = sing(singer.voice, one.words, one.notes, beat, seconds, seed=singer.seed * 50 + n, detune=singer.detune, late=singer.late)
        count = min(len(mono), len(voice))
        mono[:count] += voice[:count]
    mono = mono / (np.sqrt((mono[np.abs(mono) > 1e-4] ** 2).mean()) + 1e-9) * 0.1
    sound = np.repeat(mono[:, None], 2, axis=1)
    sound = shelf(shelf(bell(high_pass(sound, 110), 320, -2.0), 1_900, 0.6 * singer.bright), 5_500, 0.6 * singer.bright)
    sound = compress(compress(sound, -24, 3, attack=0.006, release=0.12), -19, 2.5, attack=0.03, release=0.3)
    return at_level(pan(sound, singer.place), singer.level)


def played(channel: Channel, take: Take, seconds: float) -> np.ndarray:
    beat = 60 / take.bpm
    if channel.effect == 'log drum':
        sound = log_drum(channel.part.notes, beat, seconds)
    else:
        sound = play(channel.part, beat, seconds)
    if channel.effect == 'rotary':
        sound = rotary(sound)
    sound = shelf(high_pass(sound, channel.cut), 4_000, channel.bright)
    return at_level(pan(sound, channel.place), channel.level)


def mixed(take: Take) -> np.ndarray:
    seconds = take_seconds(take)
    beat = 60 / take.bpm
    dry = np.zeros((int(seconds * RATE), 2))
    small, large, repeats, voices = dry.copy(), dry.copy(), dry.copy(), dry.copy()
    for singer in take.singers:
        sound = sung(singer, take, seconds)
        voices += sound
        large += sound * singer.large
        small += sound * 0.1
        repeats += sound * singer.echo
    for channel in take.channels:
        sound = played(channel, take, seconds)
        if channel.ducked:
            sound = compress(sound, -30, 1 / (1 - channel.ducked / 12), attack=0.04, release=0.3, by=voices)
        dry += sound
        small += sound * channel.small
        large += sound * channel.large
        repeats += sound * channel.echo
    wet = room(small, 0.55, dark=7_000, before=0.004) + room(large + echo(repeats, 0.75 * beat) * 0.5, take.hall, dark=5_200, before=0.028, seed=9)
    together = dry + voices + wet + low_pass(echo(repeats, 0.75 * beat), 5_000) * 0.5
    return master(faded(together, take), TARGET_LUFS, CEILING_DB)


def faded(sound: np.ndarray, take: Take) -> np.ndarray:
    count = int(take.fade * RATE)
    sound = sound.copy()
    sound[-count:] *= (0.5 + 0.5 * np.cos(np.linspace(0, np.pi, count)))[:, None]
    sound[: int(0.004 * RATE)] *= np.linspace(0, 1, int(0.004 * RATE))[:, None]
    return sound


def encode(sound: np.ndarray, file: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        wav = Path(folder, 'mix.wav')
        noise = np.random.default_rng(1).triangular(-1, 0, 1, sound.shape) / 32_768
        wavfile.write(wav, RATE, np.round(np.clip(sound + noise, -1, 1) * 32_767).astype(np.int16))
        subprocess.run(['lame', '--quiet', '-m', 'j', '--abr', '96', '--scale', LOUD_AS_GIVEN, '--resample', '44.1', '-q', '2', '--noreplaygain', str(wav), str(file)], check=True)


def peaks_of(sound: np.ndarray) -> list:
    mono = sound.mean(axis=1)
    return [round(float(np.sqrt((part**2).mean())), 3) for part in np.array_split(mono, BARS_SHOWN)]


TAKES = {
    'temi-a': temi_ade.take_a,
    'temi-b': temi_ade.take_b,
    'jonah-a': jonah_reyes.take_a,
    'jonah-b': jonah_reyes.take_b,
}


def main() -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    peaks = json.loads(PEAKS.read_text()) if PEAKS.exists() else {}
    for name in sys.argv[1:] or TAKES:
        sound = mixed(TAKES[name]())
        encode(sound, OUT / f'{name}.mp3')
        peaks[name] = {'seconds': round(len(sound) / RATE, 1), 'peaks': peaks_of(sound)}
        print(name, f'{len(sound) / RATE:.1f} s')
    PEAKS.write_text(json.dumps(peaks) + '\n')


if __name__ == '__main__':
    main()
