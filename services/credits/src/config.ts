import { credits, type Program } from '@prelude/platform'

export const creditsSettings = {
  startingCreditsCents: {
    env: 'STARTING_CREDITS',
    means: 'credits a new person starts with',
    ...credits,
    fallback: 0,
  },
}

export const creditsProgram: Program<typeof creditsSettings> = {
  service: 'credits',
  settings: creditsSettings,
  calls: [],
}
