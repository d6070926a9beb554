"""Cuts the typefaces down to what the app says: `pip install fonttools brotli`, then `python web/src/fonts/subset.py`."""

from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

HERE = Path(__file__).parent
PACKAGES = HERE.parents[2] / 'node_modules'
NARROW_SPACE, SPACE = 0x202F, 0xA0
CHARACTERS = {*range(0x20, 0x7F), *range(0xA0, 0x100), *map(ord, '–—‘’‚“”•…Œœ'), NARROW_SPACE}


def cut(font: TTFont, name: str, features: list) -> None:
    for table in font['cmap'].tables:  # French numbers are written with it; a face without one shows a plain space
        if table.isUnicode():
            table.cmap.setdefault(NARROW_SPACE, font.getBestCmap()[SPACE])
    options = subset.Options()
    options.layout_features, options.hinting = features, False
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=CHARACTERS)
    subsetter.subset(font)
    font.flavor = 'woff2'
    font.save(HERE / name)


bricolage = TTFont(PACKAGES / '@fontsource-variable/bricolage-grotesque/files/bricolage-grotesque-latin-standard-normal.woff2')
condensed = instancer.instantiateVariableFont(bricolage, {'wdth': 78, 'opsz': 36, 'wght': (500, 800)})
cut(condensed, 'bricolage-condensed.woff2', ['kern', 'mark', 'mkmk', 'ccmp'])
instrument = TTFont(PACKAGES / '@fontsource-variable/instrument-sans/files/instrument-sans-latin-wght-normal.woff2')
cut(instrument, 'instrument-sans.woff2', ['kern', 'liga', 'mark', 'mkmk', 'ccmp'])
mono = TTFont(PACKAGES / '@fontsource/dm-mono/files/dm-mono-latin-400-normal.woff2')
cut(mono, 'dm-mono.woff2', ['kern', 'mark', 'mkmk', 'ccmp'])
