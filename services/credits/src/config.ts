import { credits } from '@prelude/platform'

export const creditsSettings = {
  startingCreditsCents: {
    env: 'STARTING_CREDITS',
    means: 'credits a new person starts with',
    parse: credits,
    fallback: 0,
  },
}
