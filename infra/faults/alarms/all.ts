import type { Alarm } from './alarm.ts'
import { PARTS } from './parts.ts'
import { SERVERS } from './servers.ts'
import { WORK } from './work.ts'

export const ALARMS: readonly Alarm[] = [...PARTS, ...SERVERS, ...WORK]
