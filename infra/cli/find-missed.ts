import { createLogger, systemClock } from '@prelude/platform'
import { StartError } from '../embedded/start-error.ts'
import { missedEvents, type MissedEvent, queueMissed } from '../invariants/missed-events.ts'
import { command, onDatabase, say } from './command.ts'

/**
 * Events of the last 14 days that a consumer has passed without effect; `apply` has the running services handle them. Answers
 * whether there was none, or all of them were handed over.
 */
export const findMissed = command(
  'List events that a service has passed without effect; --apply has it handle them',
  { apply: { type: 'boolean' }, key: { type: 'string' }, since: { type: 'string' } },
  ({ apply = false, key, since }) =>
    onDatabase(async (adminUrl) => {
      const from = since === undefined ? undefined : Date.parse(since)
      if (Number.isNaN(from))
        throw new StartError(`--since=${since} is not a time, like 2026-01-31T12:00:00Z.`)
      const logger = createLogger({ service: 'find-missed', level: 'warn', pretty: process.stdout.isTTY })
      const missed: MissedEvent[] = []
      for await (const event of missedEvents(
        adminUrl,
        { clock: systemClock, logger },
        { key, since: from },
      )) {
        missed.push(event)
        say(lineOf(event))
      }
      const sound = missed.filter(({ error }) => error === null)
      if (!apply || sound.length === 0) {
        say(
          missed.length === 0
            ? 'No event was passed without effect.'
            : `${sound.length} event(s) were passed without effect: --apply has them handled. ${missed.length - sound.length} could not be handled.`,
        )
        return missed.length === 0
      }
      await queueMissed(adminUrl, sound)
      say(`${sound.length} event(s) will be handled within seconds. Then run check-invariants.`)
      return sound.length === missed.length
    }),
)

const lineOf = ({ consumer, source, position, type, key, at, error }: MissedEvent): string =>
  `${consumer}: ${type} at position ${position} of ${source}, ${new Date(at).toISOString()}, ${key}${error === null ? '' : `: ${error}`}`
