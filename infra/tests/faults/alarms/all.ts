import type { Alarm } from './alarm.ts'
import { EVENTS } from './events.ts'
import { INVARIANTS } from './invariants.ts'
import { MACHINE } from './machine.ts'
import { SERVERS } from './servers.ts'
import { SERVICES } from './services.ts'
import { WORK } from './work.ts'

export const ALARMS: readonly Alarm[] = [
  ...SERVICES,
  ...SERVERS,
  ...EVENTS,
  ...WORK,
  ...MACHINE,
  ...INVARIANTS,
]
