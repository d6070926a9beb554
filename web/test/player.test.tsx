import './browser.ts'
import { beforeAll, expect, test } from 'vitest'
import Player from '../src/features/player/player.tsx'
import { song } from './held-api.ts'
import { loadTexts, textOf } from './rendered.tsx'

beforeAll(loadTexts)

const nothing = (): void => {}

test('the player offers the versions that have an address, and says what a song does not have', () => {
  const ready = song(1, { title: null, style: ' ', lyrics: ' ', downloadUrl1: '/1', downloadUrl2: null })
  const choice = { song: ready, version: 1, isOpen: true } as const
  const text = textOf(<Player choice={choice} onChoose={nothing} onClose={nothing} />)
  for (const said of ['Untitled', 'No lyrics available for this song.', 'Version 1'])
    expect(text).toContain(said)
  expect(text).not.toContain('Version 2')
})
