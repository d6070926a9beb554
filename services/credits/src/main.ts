import { serveAlone } from '@prelude/platform'
import { creditsSettings } from './config.ts'
import { createCredits } from './index.ts'

await serveAlone({
  service: 'credits',
  settings: creditsSettings,
  env: process.env,
  make: ({ db, config }) => ({ service: createCredits({ db, ...config }) }),
})
