"""The desk: filters, compression, rooms, loudness (ITU-R BS.1770) and a true-peak limiter, on stereo arrays at RATE."""

import numpy as np
from scipy.ndimage import minimum_filter1d, uniform_filter1d
from scipy.signal import butter, fftconvolve, lfilter, resample_poly, sosfilt

RATE = 44_100
BLOCK = RATE // 1000


def high_pass(sound, hz):
    return sosfilt(butter(2, hz, 'high', fs=RATE, output='sos'), sound, axis=0)


def low_pass(sound, hz):
    return sosfilt(butter(2, hz, 'low', fs=RATE, output='sos'), sound, axis=0)


def shelf(sound, hz, db, side='high'):
    """Lifts or lowers everything above (or below) `hz`."""
    return biquad(sound, *shelf_coefficients(hz, db, side, RATE))


def shelf_coefficients(hz, db, side, rate):
    a, w = 10 ** (db / 40), 2 * np.pi * hz / rate
    s = 1 if side == 'high' else -1
    alpha, cos = np.sin(w) / np.sqrt(2), np.cos(w)
    root = 2 * np.sqrt(a) * alpha
    b = [a * ((a + 1) + s * (a - 1) * cos + root), -2 * s * a * ((a - 1) + s * (a + 1) * cos), a * ((a + 1) + s * (a - 1) * cos - root)]
    c = [(a + 1) - s * (a - 1) * cos + root, 2 * s * ((a - 1) - s * (a + 1) * cos), (a + 1) - s * (a - 1) * cos - root]
    return b, c


def bell(sound, hz, db, q=1.0):
    a, w = 10 ** (db / 40), 2 * np.pi * hz / RATE
    alpha, cos = np.sin(w) / (2 * q), np.cos(w)
    return biquad(sound, [1 + alpha * a, -2 * cos, 1 - alpha * a], [1 + alpha / a, -2 * cos, 1 - alpha / a])


def biquad(sound, b, a):
    return lfilter(np.array(b) / a[0], np.array(a) / a[0], sound, axis=0)


def blocks(level):
    """Per millisecond, so that gains can be followed step by step."""
    count = len(level) // BLOCK
    return level[: count * BLOCK].reshape(count, BLOCK)


def spread(gain, length):
    at = (np.arange(len(gain)) + 0.5) * BLOCK
    return np.interp(np.arange(length), at, gain)


def compress(sound, threshold, ratio, attack=0.01, release=0.15, by=None):
    """Turns down what is louder than `threshold` dB; `by` is another sound that decides (ducking)."""
    key = sound if by is None else by
    level = 10 * np.log10(blocks((key**2).mean(axis=1)).mean(axis=1) + 1e-10)
    wanted = np.minimum(0, (threshold - level) * (1 - 1 / ratio))
    gain, now = np.empty(len(wanted)), 0.0
    down, up = 1 - np.exp(-0.001 / attack), 1 - np.exp(-0.001 / release)
    for index, goal in enumerate(wanted):
        now += (goal - now) * (down if goal < now else up)
        gain[index] = now
    return sound * spread(10 ** (gain / 20), len(sound))[:, None]


def pan(sound, place):
    """-1 left to 1 right, equal power; stereo sounds are narrowed towards the place."""
    angle = (place + 1) * np.pi / 4
    left, right = np.cos(angle) * np.sqrt(2), np.sin(angle) * np.sqrt(2)
    return sound * np.array([left, right])


def room(sound, seconds, dark=5_000, before=0.015, seed=3):
    """A room of decorrelated noise that decays, its high tones first; returns the room alone."""
    random = np.random.default_rng(seed)
    count = int(seconds * 1.4 * RATE)
    t = np.arange(count) / RATE
    noise = random.normal(0, 1, (count, 2))
    body = low_pass(noise, dark) * np.exp(-6.9 * t / seconds)[:, None]
    air = high_pass(noise, dark) * np.exp(-6.9 * t / (seconds * 0.35))[:, None] * 0.5
    answer = high_pass(body + air, 180) * np.minimum(1, t / 0.008)[:, None]
    answer /= np.sqrt((answer**2).sum(axis=0))
    wet = np.stack([fftconvolve(sound[:, side], answer[:, side])[: len(sound)] for side in (0, 1)], axis=1)
    return np.roll(wet, int(before * RATE), axis=0)


def echo(sound, seconds, times=3, fall=0.42):
    """Repeats that go from side to side."""
    out = np.zeros_like(sound)
    for n in range(1, times + 1):
        shift = int(n * seconds * RATE)
        if shift < len(sound):
            out[shift:] += pan(low_pass(sound, 3_500), 0.6 if n % 2 else -0.6)[: len(sound) - shift] * fall**n
    return out


def rotary(sound, hz=5.9):
    """The turning horn of an organ cabinet: pitch and level swing, a little later on the right."""
    t = np.arange(len(sound)) / RATE
    out = np.empty_like(sound)
    mono = sound.mean(axis=1)
    for side, phase in ((0, 0.0), (1, 1.9)):
        swing = np.sin(2 * np.pi * hz * t + phase)
        at = np.arange(len(sound)) - (0.6 + 0.45 * swing) * 0.001 * RATE
        out[:, side] = np.interp(at, np.arange(len(sound)), mono) * (1 + 0.16 * np.sin(2 * np.pi * hz * t + phase + 1.2))
    return out


def weighted(sound, rate=RATE):
    """What a listener weighs: high tones lifted, rumble taken away."""
    b, a = shelf_coefficients(1_681.97, 4.0, 'high', rate)
    lifted = lfilter(np.array(b) / a[0], np.array(a) / a[0], sound, axis=0)
    w = np.tan(np.pi * 38.135 / rate)
    norm = 1 + w / 0.5003 + w * w
    return lfilter([1, -2, 1], [1, 2 * (w * w - 1) / norm, (1 - w / 0.5003 + w * w) / norm], lifted, axis=0)


def loudness(sound, rate=RATE):
    """Integrated LUFS, gated at -70 and at 10 below the mean."""
    power = (weighted(sound, rate) ** 2).sum(axis=1)
    size, hop = int(0.4 * rate), int(0.1 * rate)
    sums = np.concatenate([[0], np.cumsum(power)])
    at = np.arange(0, len(power) - size, hop)
    mean = (sums[at + size] - sums[at]) / size
    level = -0.691 + 10 * np.log10(mean + 1e-12)
    loud = mean[level > -70]
    gate = -0.691 + 10 * np.log10(loud.mean()) - 10
    return -0.691 + 10 * np.log10(mean[(level > gate) & (level > -70)].mean())


def true_peak(sound):
    """The highest point between the samples, in dB."""
    return 20 * np.log10(np.abs(resample_poly(sound, 4, 1, axis=0)).max() + 1e-9)


def limit(sound, ceiling):
    """Looks 6 ms ahead and lets nothing over `ceiling` dB, between samples too."""
    over = np.abs(resample_poly(sound, 4, 1, axis=0)).max(axis=1)
    peak = blocks(over[: len(sound) * 4 // (4 * BLOCK) * 4 * BLOCK].reshape(-1, 4).max(axis=1)).max(axis=1)
    gain = np.minimum(1, 10 ** (ceiling / 20) / np.maximum(peak, 1e-9))
    gain = uniform_filter1d(minimum_filter1d(gain, 13), 9)
    return sound * spread(gain, len(sound))[:, None]


def master(sound, target, ceiling):
    """Glued by a bus compressor, then as loud as `target` LUFS with no true peak over `ceiling` dB."""
    sound = high_pass(sound, 28)
    sound = compress(sound * 10 ** ((-18 - loudness(sound)) / 20), -17, 2, attack=0.03, release=0.25)
    gain = 0.0
    for _ in range(6):
        out = limit(sound * 10 ** (gain / 20), ceiling)
        gain += target - loudness(out)
    return limit(sound * 10 ** (gain / 20), ceiling)
