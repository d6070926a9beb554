import { serveAlone } from '@prelude/platform'
import { createCredits, creditsProgram } from './index.ts'

await serveAlone({
  program: creditsProgram,
  env: process.env,
  make: ({ db, config }) => ({ service: createCredits({ db, config }) }),
})
