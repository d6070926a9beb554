#!/bin/sh
# Makes the three files beside this script from the @fontsource packages: Latin-1 and the punctuation we write,
# only the axes we use. Together they stay under 90 kB, which is what a first visit loads.
# Needs fonttools and brotli (pip install fonttools brotli). Run from anywhere; the results are committed.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
modules="$here/../../../../node_modules"
work=$(mktemp -d)
text='U+0020-007E,U+00A0-00FF,U+0131,U+0152-0153,U+2013-2014,U+2018-201A,U+201C-201E,U+2022,U+2026,U+20A6,U+20AC,U+2122,U+2212'
subset() { pyftsubset "$1" --unicodes="$2" --layout-features="$3" --flavor=woff2 --output-file="$4"; }

bricolage="$modules/@fontsource-variable/bricolage-grotesque/files/bricolage-grotesque-latin-standard-normal.woff2"
fonttools varLib.instancer "$bricolage" wdth=75 opsz=36 wght=500:800 -o "$work/bricolage.ttf"
subset "$work/bricolage.ttf" "$text" kern,liga,ccmp,mark "$here/bricolage-grotesque.woff2"

instrument="$modules/@fontsource-variable/instrument-sans/files/instrument-sans-latin-wght-normal.woff2"
fonttools varLib.instancer "$instrument" wght=400:700 -o "$work/instrument.ttf"
subset "$work/instrument.ttf" "$text" kern,liga,ccmp,mark "$here/instrument-sans.woff2"

subset "$modules/@fontsource/dm-mono/files/dm-mono-latin-400-normal.woff2" "$text" ccmp "$here/dm-mono.woff2"
rm -r "$work"
