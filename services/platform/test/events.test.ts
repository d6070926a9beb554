import { testPorts } from './support/index.ts'
import { eventsConformance } from './conformance/events.ts'

eventsConformance('event log', () => testPorts())
