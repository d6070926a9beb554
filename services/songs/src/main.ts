import { serveAlone } from '@prelude/platform'
import { createSongs, songsProgram } from './index.ts'

await serveAlone({
  program: songsProgram,
  env: process.env,
  make: ({ db, config }) => ({ service: createSongs({ db, config }) }),
})
