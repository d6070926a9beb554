import { testPorts } from '../src/testing/index.ts'
import { eventsConformance } from './conformance/events.ts'

eventsConformance('event log', () => testPorts())
