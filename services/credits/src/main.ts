import { serveAlone, systemClock } from '@prelude/platform'
import { createCredits, creditsProgram } from './index.ts'

await serveAlone({
  program: creditsProgram,
  env: process.env,
  clock: systemClock,
  make: ({ db, clock, config }) => ({ service: createCredits({ db, clock, config }) }),
})
