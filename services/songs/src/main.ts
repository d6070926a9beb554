import { serveAlone } from '@prelude/platform'
import { createSongs, songsSettings } from './index.ts'

await serveAlone({
  service: 'songs',
  settings: songsSettings,
  env: process.env,
  make: ({ db, config }) => ({ service: createSongs({ db, terms: config }) }),
})
