"""Temi Ade, "Carry Me Slow": afro-fusion, written in D. Take A is the band in C at 96 bpm, take B a quiet one in B flat at 84."""

from band import Part, steps, transposed
from singing import Voice
from take import Channel, Singer, Take, line, on_pitches

TEMI = Voice('slt', low=120, high=320, tract=1.0, breath=0.35, vibrato_cents=28)
DEEPER = Voice('slt', low=120, high=320, tract=1.05, breath=0.5, vibrato_cents=20)
BRIGHTER = Voice('slt', low=120, high=320, tract=0.96, breath=0.5, vibrato_cents=20)

# one a bar: bass, voicing, and what the kalimba plays in it as (sixteenth, pitch)
D = (38, (57, 61, 64, 66), ((0, 74), (3, 78), (6, 81), (8, 78), (11, 76), (14, 74)))
B = (35, (57, 62, 64, 66), ((0, 71), (3, 74), (6, 78), (8, 76), (11, 74), (14, 71)))
G = (43, (57, 59, 62, 66), ((0, 74), (3, 71), (6, 79), (8, 78), (11, 74), (14, 71)))
A = (45, (57, 61, 62, 64), ((0, 73), (3, 76), (6, 81), (8, 76), (10, 78), (12, 76), (14, 74)))
LOOP = (D, B, G, A)
INTRO, VERSE, HOOK, END = 2, 8, 4, 2
BARS = INTRO + VERSE + HOOK + END
HOME = (38, (57, 61, 64, 66), ((0, 74), (6, 78), (12, 81)))


def chords():
    """(first beat, chord, section) of every bar."""
    order = [G, A] + list(LOOP) * 2 + list(LOOP) + [G, HOME]
    sections = ['intro'] * INTRO + ['verse'] * VERSE + ['hook'] * HOOK + ['end'] * END
    return [(4 * bar, chord, section) for bar, (chord, section) in enumerate(zip(order, sections, strict=True))]


def melody(key: int):
    """The words and the tune, the same in both takes; `key` moves them."""
    verse, hook = 4 * INTRO, 4 * (INTRO + VERSE)
    verses = (
        line('Lagos light on the water.', verse, key,
             (0.5, 0.5, 69, 'La'), (1, 0.5, 66, 'gos'), (1.5, 1, 69, 'light'), (2.5, 0.5, 71, 'on'), (3, 0.5, 69, 'the'),
             (3.5, 0.75, 66, 'wa'), (4.25, 1.5, 64, 'ter')),
        line('Carry me slow.', verse, key,
             (8.5, 0.5, 71, 'car'), (9, 0.5, 69, 'ry'), (9.5, 0.5, 66, 'me'), (10, 1, 66, 'slow'), (11, 1, 62, '-'),
             (12, 1.75, 64, '-')),
        line('Every road that I borrowed.', verse, key,
             (16.5, 0.5, 69, 'ev'), (17, 0.25, 71, 'e'), (17.25, 0.25, 71, 'ry'), (17.5, 1, 74, 'road'), (18.5, 0.5, 71, 'that'),
             (19, 0.5, 69, 'I'), (19.5, 0.75, 71, 'bor'), (20.25, 1.5, 69, 'rowed')),
        line('is calling me home.', verse, key,
             (24.5, 0.5, 66, 'is'), (25, 0.75, 69, 'call'), (25.75, 0.75, 66, 'ing'), (26.5, 0.5, 64, 'me'),
             (27, 1, 66, 'home'), (28, 2.25, 64, '-')),
    )
    hooks = (
        line('Carry me slow.', hook, key,
             (0.5, 0.5, 74, 'car'), (1, 0.5, 74, 'ry'), (1.5, 0.5, 71, 'me'), (2, 2, 69, 'slow')),
        line('Carry me home.', hook, key,
             (4.5, 0.5, 71, 'car'), (5, 0.5, 71, 'ry'), (5.5, 0.5, 69, 'me'), (6, 2, 66, 'home')),
        line('Carry me slow.', hook, key,
             (8.5, 0.5, 74, 'car'), (9, 0.5, 74, 'ry'), (9.5, 0.5, 76, 'me'), (10, 1.25, 74, 'slow'), (11.25, 0.75, 71, '-')),
        line('Carry me home.', hook, key,
             (12.5, 0.5, 69, 'car'), (13, 0.5, 69, 'ry'), (13.5, 0.5, 66, 'me'), (14, 1, 64, 'home'), (15, 3, 62, '-')),
    )
    return verses, hooks


def below(hooks, key: int):
    """A third or so under the hook."""
    pitches = ((71, 71, 67, 66), (67, 67, 66, 62), (71, 71, 71, 71, 67), (66, 66, 62, 61, 57))
    return tuple(on_pitches(one, *notes, transpose=key) for one, notes in zip(hooks, pitches, strict=True))


def above(hooks, key: int):
    pitches = ((78, 78, 76, 74), (74, 74, 73, 69), (78, 78, 79, 78, 74), (73, 73, 71, 69, 66))
    return tuple(on_pitches(one, *notes, transpose=key) for one, notes in zip(hooks, pitches, strict=True))


# ---- take A: the band ------------------------------------------------------------------------------------------------

KEY_A = -2


def band_drums(bars):
    kick, rim, shaker, hat, conga, clap = [], [], [], [], [], []
    for beat, _, section in bars:
        last = beat >= 4 * (BARS - 1)
        shaker += steps([(n, 74 if n % 4 == 2 else 46 if n % 2 else 58) for n in range(0 if section != 'intro' else 2, 4 if last else 16)], beat, 0.1, 70, 50)
        if last:
            kick += steps([(0, 104)], beat, 0.3, 36, 100)
            continue
        if section != 'intro':
            kick += steps([(0, 108), (7, 82), (8, 104), (11, 70)], beat, 0.3, 36, 100)
            rim += steps([(3, 84), (6, 92), (12, 96)] + ([(15, 60)] if beat % 16 == 12 else []), beat, 0.2, 37, 90)
            hat += steps([(2, 60), (6, 52), (10, 62), (14, 52)], beat, 0.1, 42, 60)
        conga += steps([(4, 74), (13, 70)], beat, 0.3, 63, 70) + steps([(5, 56), (10, 60)], beat, 0.3, 62, 60)
        conga += steps([(7, 78), (15, 66)], beat, 0.4, 64, 70)
        if section in ('hook', 'end'):
            clap += steps([(4, 74), (12, 80)], beat, 0.2, 39, 76) + steps([(14, 58)], beat, 0.2, 54, 58)
    return kick, rim, shaker, hat, conga, clap


def take_a():
    bars = chords()
    kick, rim, shaker, hat, conga, clap = band_drums(bars)
    kalimba, keys, bass, logs, guitar, choir = [], [], [], [], [], []
    for beat, (root, voicing, riff), section in bars:
        final = beat >= 4 * (BARS - 1)
        kalimba += [(beat + step / 4, 0.9, pitch, 92 if step == 0 else 78) for step, pitch in riff]
        if section != 'intro' and not final:
            bass += steps([(0, 100)], beat, 1.2, root, 96) + steps([(7, 80)], beat, 0.4, root + 12, 80)
            bass += steps([(10, 90)], beat, 0.9, root + 7 if root < 43 else root - 5, 88) + steps([(14, 84)], beat, 0.4, root, 84)
            logs += steps([(3, 96), (6, 110)], beat, 0.5, root + 12, 100) + steps([(11, 100), (13, 84)], beat, 0.4, root + 7 if root < 43 else root + 12, 96)
        if final:
            bass += steps([(0, 100)], beat, 3.5, root, 96)
        for step, length, loud in ((0, 1.3, 66), (6, 0.7, 58), (10, 1.2, 62)) if not final else ((0, 3.8, 64),):
            keys += [(beat + step / 4 + 0.008 * n, length, pitch, loud) for n, pitch in enumerate(voicing)]
        if section == 'hook':
            line_of = [voicing[3] + 12, voicing[1] + 12, voicing[2] + 12, voicing[0] + 12]
            guitar += [(beat + step / 4, 0.22, line_of[n % 4], 84 if n % 3 else 94) for n, step in enumerate((0, 2, 3, 5, 6, 8, 10, 11, 13, 14))]
            choir += [(beat, 3.9, pitch, 60) for pitch in voicing[1:]]
    verses, hooks = melody(KEY_A)
    return Take(
        'temi', 'a', bpm=96, bars=BARS, tail=1.4,
        channels=(
            Channel(Part('kick', kick, kit=0, loose=0.003), level=-4, cut=35, small=0.02),
            Channel(Part('rim', rim, kit=0, loose=0.004), level=-8, place=-0.1, cut=200, bright=2, small=0.25, large=0.05),
            Channel(Part('shaker', shaker, kit=0, loose=0.006), level=-15, place=0.35, cut=1_500, small=0.1),
            Channel(Part('hat', hat, kit=0, loose=0.004), level=-19, place=-0.3, cut=3_000, small=0.08),
            Channel(Part('conga', conga, kit=0), level=-11, place=0.4, cut=120, small=0.22),
            Channel(Part('clap', clap, kit=0), level=-12, place=-0.2, cut=400, small=0.3, large=0.1),
            Channel(Part('log drum', transposed(logs, KEY_A)), level=-6, cut=45, small=0.05, effect='log drum'),
            Channel(Part('bass', transposed(bass, KEY_A), program=33, loose=0.005), level=-4, cut=32, bright=-4, small=0.0),
            Channel(Part('kalimba', transposed(kalimba, KEY_A), program=108, loose=0.007), level=-7, place=-0.35, cut=250, bright=2, small=0.15, large=0.14, echo=0.25, ducked=3),
            Channel(Part('rhodes', transposed(keys, KEY_A), program=4, loose=0.009), level=-8, place=0.25, cut=160, small=0.12, large=0.1, ducked=3),
            Channel(Part('guitar', transposed(guitar, KEY_A), program=27, loose=0.008), level=-11, place=0.5, cut=300, bright=2, small=0.2, large=0.1, echo=0.15, ducked=2),
            Channel(Part('choir', transposed(choir, KEY_A), program=53, loose=0.02), level=-13, cut=250, large=0.4, ducked=2),
        ),
        singers=(
            Singer(TEMI, verses + hooks, bright=10, echo=0.14),
            Singer(BRIGHTER, hooks, level=-9, place=-0.55, detune=0.07, late=0.014, seed=5),
            Singer(DEEPER, below(hooks, KEY_A), level=-7, place=0.5, detune=-0.04, late=0.010, seed=6),
            Singer(BRIGHTER, above(hooks, KEY_A), level=-11, place=-0.4, detune=0.03, late=0.018, seed=7, large=0.35),
        ),
    )


# ---- take B: nylon strings -------------------------------------------------------------------------------------------

KEY_B = -4


def take_b():
    bars = chords()
    guitar, bass, shaker, hands, strings, flute = [], [], [], [], [], []
    for beat, (root, voicing, _), section in bars:
        final = beat >= 4 * (BARS - 1)
        if final:
            guitar += [(beat + 0.06 * n, 3.8, pitch, 72) for n, pitch in enumerate((root + 12, *voicing, voicing[0] + 17))]
            bass += [(beat, 3.8, root, 80)]
            strings += [(beat, 3.9, pitch, 60) for pitch in voicing]
            continue
        thumb = root + 12 if root < 45 else root
        for step, pitch, loud in ((0, thumb, 86), (3, voicing[2], 66), (4, voicing[3], 70), (6, voicing[1], 62), (7, voicing[2], 60),
                                  (8, thumb + 7, 76), (10, voicing[3], 68), (11, voicing[2], 58), (13, voicing[1], 62), (14, voicing[3], 66)):
            guitar.append((beat + step / 4, 1.1, pitch, loud))
        if section != 'intro':
            bass += steps([(0, 84)], beat, 1.6, root, 84) + steps([(7, 66)], beat, 0.3, root + 12, 66) + steps([(10, 76)], beat, 1.3, root + 7 if root < 43 else root - 5, 76)
            shaker += steps([(n, 52 if n % 4 == 2 else 36) for n in range(0, 16, 2)], beat, 0.1, 82, 40)
        if section == 'hook' or beat >= 4 * (INTRO + 4):
            hands += steps([(0, 64), (8, 58)], beat, 0.4, 64, 60) + steps([(3, 44), (6, 52), (12, 56), (14, 40)], beat, 0.3, 63, 50)
            strings += [(beat, 4.0, pitch, 62) for pitch in (voicing[0], voicing[2], voicing[3] + 12)]
    # the flute says the hook before it is sung, and answers in the verse
    flute += [(0.5, 0.5, 86, 70), (1, 0.5, 86, 66), (1.5, 0.5, 83, 66), (2, 1.5, 81, 72), (4.5, 0.5, 81, 66), (5, 0.5, 81, 62), (5.5, 0.5, 78, 62), (6, 1.6, 76, 70)]
    verse = 4 * INTRO
    flute += [(verse + 6.5, 0.25, 78, 60), (verse + 6.75, 0.25, 81, 62), (verse + 7, 1.0, 83, 66), (verse + 22.5, 0.5, 86, 64), (verse + 23, 0.5, 83, 60), (verse + 23.5, 0.8, 81, 62)]
    verses, hooks = melody(KEY_B)
    return Take(
        'temi', 'b', bpm=84, bars=BARS - 0.5, tail=1.2, hall=2.6,
        channels=(
            Channel(Part('nylon', transposed(guitar, KEY_B), program=24, loose=0.010), level=-3, place=-0.22, cut=90, bright=2.5, small=0.18, large=0.08, ducked=1.5),
            Channel(Part('upright', transposed(bass, KEY_B), program=32, loose=0.008), level=-5, cut=35, small=0.05),
            Channel(Part('shaker b', shaker, kit=0, loose=0.008), level=-16, place=0.4, cut=2_000, small=0.15),
            Channel(Part('hands', hands, kit=0, loose=0.010), level=-11, place=0.25, cut=90, small=0.25),
            Channel(Part('strings', transposed(strings, KEY_B), program=49, loose=0.02), level=-11, place=0.1, cut=180, large=0.3, ducked=2),
            Channel(Part('flute', transposed(flute, KEY_B), program=73, loose=0.012), level=-9, place=0.35, cut=300, large=0.3, echo=0.1),
        ),
        singers=(
            Singer(TEMI, verses + hooks, bright=10, large=0.18, seed=21),
            Singer(DEEPER, below(hooks, KEY_B)[2:], level=-8, place=0.35, detune=-0.04, late=0.012, seed=26),
        ),
    )
