import { serveAlone, systemClock } from '@prelude/platform'
import { createSongs, songsProgram } from './index.ts'

await serveAlone({
  program: songsProgram,
  env: process.env,
  clock: systemClock,
  make: ({ db, clock, config }) => ({ service: createSongs({ db, clock, config }) }),
})
