import { serveAlone } from '@prelude/platform'
import { createCredits, creditsSettings } from './index.ts'

await serveAlone({
  service: 'credits',
  settings: creditsSettings,
  env: process.env,
  make: ({ db, config }) => ({ service: createCredits({ db, ...config }) }),
})
