import { serveAlone } from '@prelude/platform'
import { createSongs } from './index.ts'

await serveAlone({
  service: 'songs',
  settings: {},
  env: process.env,
  make: ({ db }) => ({ service: createSongs({ db }) }),
})
