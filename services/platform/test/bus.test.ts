import { testPorts } from '../src/testing/index.ts'
import { busConformance } from './conformance/bus.ts'

busConformance('event log', () => testPorts())
