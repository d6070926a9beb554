"""Jonah Reyes, "Child, Begin": gospel soul in G, every beat in three. Take A is the church at 72 bpm, take B a piano in F."""

from band import Part, transposed
from singing import Voice
from take import Channel, Singer, Take, line, on_pitches

T = 1 / 3
JONAH = Voice('rms', low=70, high=200, tract=1.0, breath=0.22, vibrato_cents=38)
LOW = Voice('rms', low=70, high=200, tract=1.05, breath=0.4, vibrato_cents=25)
SOPRANO = Voice('slt', low=120, high=320, tract=0.97, breath=0.45, vibrato_cents=30)
ALTO = Voice('slt', low=120, high=320, tract=1.06, breath=0.45, vibrato_cents=26)

# two a bar: bass, voicing
CHORDS = (
    ((43, (59, 62, 67)), (47, (59, 62, 65))),
    ((48, (60, 64, 67)), (49, (58, 64, 67))),
    ((50, (59, 62, 67)), (40, (56, 62, 65))),
    ((45, (60, 64, 67)), (38, (60, 62, 66))),
    ((47, (57, 62, 66)), (40, (56, 62, 64))),
    ((45, (60, 64, 67)), (48, (60, 63, 69))),
    ((50, (59, 62, 67)), (38, (60, 64, 69))),
    ((43, (59, 62, 67)), (43, (59, 65, 67))),
    ((48, (60, 64, 67)), (47, (59, 62, 67))),
    ((45, (60, 64, 67)), (38, (60, 62, 66))),
    ((48, (60, 64, 67)), (43, (59, 62, 67))),
)
INTRO = (((48, (60, 64, 67)), (49, (58, 64, 67))), ((50, (59, 62, 67)), (38, (60, 62, 66))))
VERSE = 8  # the beat on which the first verse begins
BARS = len(INTRO) + len(CHORDS)


def halves():
    """(first beat, bass, voicing) of every half bar."""
    found = []
    for bar, pair in enumerate(INTRO + CHORDS):
        found += [(4 * bar + 2 * half, *chord) for half, chord in enumerate(pair)]
    return found


def melody(key: int):
    """The words and the tune, the same in both takes."""
    verses = (
        line('I was counting my losses.', VERSE, key,
             (-2 * T, T, 55, 'I'), (-T, T, 57, 'was'), (0, 1, 59, 'count'), (1, 2 * T, 59, 'ing'), (1 + 2 * T, T, 57, 'my'),
             (2, 2 * T, 59, 'los'), (2 + 2 * T, T, 57, '-'), (3, 1.6, 55, 'ses')),
        line('when morning came in.', VERSE, key,
             (8 + 2 * T, T, 59, 'when'), (9, 1, 62, 'morn'), (10, 2 * T, 64, 'ing'), (10 + 2 * T, 2 * T, 62, 'came'),
             (11 + T, 2 * T, 62, 'in'), (12, 2, 60, '-')),
        line('laid its hand on my shoulder.', VERSE, key,
             (15 + T, T, 59, 'laid'), (15 + 2 * T, T, 60, 'its'), (16, 1, 62, 'hand'), (17, 2 * T, 62, 'on'), (17 + 2 * T, T, 64, 'my'),
             (18, 2 * T, 64, 'shoul'), (18 + 2 * T, 2 * T, 62, '-'), (19 + T, 1.8, 60, 'der')),
        line('said, child, begin.', VERSE, key,
             (23 + T, 0.5, 60, 'said'), (24, 1 + T, 62, 'child'), (25 + T, T, 59, '-'), (26, 2 * T, 57, 'be'),
             (26 + 2 * T, 1 + T, 57, 'gin'), (28, 2.3, 55, '-')),
    )
    tags = (
        line('child, begin.', VERSE, key,
             (32, 1, 64, 'child'), (33, 0.8, 62, '-'), (34, 2 * T, 60, 'be'), (34 + 2 * T, 1.6, 59, 'gin')),
        line('begin.', VERSE, key, (37 + T, 2 * T, 57, 'be'), (38, 1.8, 57, 'gin'), (40, 2.6, 55, '-')),
    )
    return verses, tags


def harmony(tags, key: int, first, second):
    return on_pitches(tags[0], *first, transpose=key), on_pitches(tags[1], *second, transpose=key)


# ---- take A: organ, brushes, choir -----------------------------------------------------------------------------------

# the organ answers where nobody sings: (beat of the verse, length, pitch)
FILLS = (
    (4 + 2 * T, T, 74), (5, T, 76), (5 + T, T, 79), (5 + 2 * T, T, 76), (6, T, 74), (6 + T, T, 70), (6 + 2 * T, 2 * T, 67), (7 + T, 1, 69),
    (13 + T, T, 72), (13 + 2 * T, T, 74), (14, 2 * T, 78), (14 + 2 * T, T, 76), (15, 1, 74),
    (21, T, 72), (21 + T, T, 75), (21 + 2 * T, T, 79), (22, 1, 81), (30, T, 71), (30 + T, T, 74), (30 + 2 * T, T, 77), (31, 1, 79),
)


def church_rhythm(beats):
    ride, tap, kick, pedal = [], [], [], []
    for beat in range(0, beats - 4):
        if beat < 7:  # only the hi-hat counts in
            pedal.append((beat + (0 if beat % 2 else 2 * T), 0.1, 44, 40))
            continue
        ride += [(beat, 0.3, 51, 62 if beat % 2 == 0 else 54), (beat + 2 * T, 0.2, 51, 44)]
        if beat % 2:
            tap += [(beat, 0.3, 38, 76), (beat - T, 0.2, 38, 30)]
            pedal.append((beat, 0.1, 44, 56))
        else:
            kick.append((beat, 0.3, 36, 78 if beat % 4 == 0 else 62))
            if beat % 4 == 2:
                kick.append((beat + 2 * T, 0.2, 36, 54))
        tap.append((beat, 0.9, 40, 46))
    ride.append((beats - 4, 3, 49, 60))
    kick.append((beats - 4, 0.3, 36, 74))
    return ride, tap, kick, pedal


def take_a():
    organ, bass, choir, piano = [], [], [], []
    for beat, root, voicing in halves():
        organ += [(beat, 1.94, pitch, 80) for pitch in voicing] + [(beat, 1.94, root + 12 if root < 43 else root, 58)]
        last = beat >= 4 * BARS - 4
        bass.append((beat, 1.3 if not last else 1.9, root if root > 39 else root, 92))
        if not last:
            bass.append((beat + 1 + 2 * T, T, root + 7 if root < 45 else root - 5, 74))
        if beat >= VERSE:
            piano += [(beat + at, T, pitch + 12, loud) for at, loud in ((2 * T, 52), (1, 60), (1 + 2 * T, 50)) for pitch in voicing[:2 if at == 1 else 3]]
        if beat >= VERSE + 16:
            choir += [(beat, 2.0, pitch, 66) for pitch in (*voicing, voicing[0] + 12)]
    organ += [(VERSE + start, length, pitch, 92) for start, length, pitch in FILLS]
    organ += [(0, 2 * T, 79, 84), (2 * T, T, 76, 80), (1, 1, 74, 84), (2, 2 * T, 76, 84), (2 + 2 * T, T, 74, 80), (3, 1, 70, 82), (4, 1, 71, 84), (5, 2 * T, 74, 82), (5 + 2 * T, T, 71, 78), (6, 1.2, 69, 82)]
    ride, tap, kick, pedal = church_rhythm(4 * BARS)
    verses, tags = melody(0)
    high = harmony(tags, 0, (72, 71, 67, 67), (66, 66, 67))
    middle = harmony(tags, 0, (67, 67, 64, 62), (62, 60, 62))
    low = harmony(tags, 0, (60, 59, 55, 55), (52, 54, 50))
    return Take(
        'jonah', 'a', bpm=72, bars=BARS, tail=1.0, hall=2.6, fade=2.0,
        channels=(
            Channel(Part('organ', organ, program=16, loose=0.010), level=-6, place=-0.15, cut=110, bright=-1, small=0.15, large=0.12, ducked=3, effect='rotary'),
            Channel(Part('bass', bass, program=33, loose=0.007), level=-4, cut=35, bright=-3),
            Channel(Part('choir', choir, program=52, loose=0.03), level=-11, place=0.1, cut=200, large=0.4, ducked=2),
            Channel(Part('piano', piano, program=0, loose=0.010), level=-12, place=0.35, cut=200, small=0.2, large=0.05, ducked=2),
            Channel(Part('ride', ride, kit=40, loose=0.007), level=-15, place=0.3, cut=400, small=0.15),
            Channel(Part('tap', tap, kit=40, loose=0.007), level=-10, place=-0.1, cut=150, small=0.25, large=0.04),
            Channel(Part('kick', kick, kit=40, loose=0.005), level=-6, cut=40, small=0.08),
            Channel(Part('pedal', pedal, kit=40, loose=0.006), level=-17, place=0.2, cut=1_000, small=0.15),
        ),
        singers=(
            Singer(JONAH, verses + tags, level=1, bright=5, echo=0.08, seed=31),
            Singer(SOPRANO, high, level=-8, place=-0.5, late=0.016, seed=35, large=0.45),
            Singer(ALTO, middle, level=-8, place=0.5, late=0.020, seed=36, large=0.45),
            Singer(LOW, low, level=-9, place=-0.2, late=0.012, seed=37, large=0.4),
        ),
    )


# ---- take B: piano and cello -----------------------------------------------------------------------------------------

KEY_B = -2
# the cello's own line: (beat of the verse, length, pitch)
CELLO = (
    (4, 1.9, 52), (6, 1.9, 55), (12, 1.9, 57), (14, 1.9, 54), (16, 1.9, 54), (18, 1.9, 52), (20, 1.9, 55), (22, 1.9, 51),
    (24, 1.9, 50), (26, 1.9, 52), (28, 1.9, 50), (30, 1.9, 53), (32, 1.9, 55), (34, 1.9, 55), (36, 1.9, 52), (38, 1.9, 54), (40, 1.9, 55), (42, 1.9, 55),
)


def take_b():
    piano, strings = [], []
    for beat, root, voicing in halves():
        last = beat >= 4 * BARS - 2
        if last:
            piano += [(beat + 0.05 * n, 3.5, pitch, 64) for n, pitch in enumerate((root - 12, root, *voicing, voicing[1] + 12))]
            continue
        low = root if root < 46 else root - 12
        loud = 60 if beat < VERSE + 16 else 70
        piano += [(beat, 1.9, low, loud + 6), (beat + T, 1.5, low + 12 if low < 40 else low + 7, loud - 12)]
        piano += [(beat + at * T, 1.2, pitch, loud - 6 + 5 * (at % 3 == 0)) for at, pitch in ((2, voicing[0]), (3, voicing[2]), (4, voicing[1]), (5, voicing[2]))]
        if beat >= VERSE + 16:
            strings += [(beat, 2.0, pitch, 58) for pitch in (*voicing, voicing[1] + 12)]
    piano += [(0, T, 79, 66), (T, T, 76, 60), (2 * T, 1, 74, 66), (2, T, 76, 64), (2 + T, T, 74, 60), (2 + 2 * T, 1, 70, 64), (4, 1, 71, 66), (5, 2 * T, 74, 62), (5 + 2 * T, T, 71, 60), (6, 1.2, 69, 64)]
    cello = [(VERSE + start, length, pitch, 74) for start, length, pitch in CELLO]
    verses, tags = melody(KEY_B)
    return Take(
        'jonah', 'b', bpm=66, bars=BARS - 0.5, tail=1.6, hall=3.0, fade=2.0,
        channels=(
            Channel(Part('grand', transposed(piano, KEY_B), program=0, loose=0.012), level=-4, place=-0.08, cut=45, bright=1, small=0.08, large=0.12, ducked=1.5),
            Channel(Part('cello', transposed(cello, KEY_B), program=42, loose=0.02, swell=[(0, 100)]), level=-9, place=0.3, cut=80, large=0.28, ducked=1),
            Channel(Part('strings', transposed(strings, KEY_B), program=49, loose=0.03), level=-12, place=0.0, cut=180, large=0.35, ducked=2),
        ),
        singers=(
            Singer(JONAH, verses + tags, level=1.5, large=0.2, bright=5, late=0.02, seed=41),
            Singer(LOW, harmony(tags, KEY_B, (60, 59, 55, 55), (52, 54, 50)), level=-9, place=0.3, detune=-0.03, late=0.03, seed=45),
        ),
    )
