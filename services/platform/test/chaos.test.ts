import { testPorts } from '../src/testing/index.ts'
import { chaosConformance } from './conformance/chaos.ts'

chaosConformance('event log', () => testPorts(), { seconds: 15 })
