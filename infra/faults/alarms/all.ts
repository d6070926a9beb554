import type { Alarm } from './alarm.ts'
import { EVENTS } from './events.ts'
import { INVARIANTS } from './invariants.ts'
import { MACHINE } from './machine.ts'
import { PARTS } from './parts.ts'
import { SERVERS } from './servers.ts'
import { WORK } from './work.ts'

export const ALARMS: readonly Alarm[] = [...PARTS, ...SERVERS, ...EVENTS, ...WORK, ...MACHINE, ...INVARIANTS]
