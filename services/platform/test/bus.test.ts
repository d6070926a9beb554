import { testPorts } from '../src/testing/index.ts'
import { busConformance } from './conformance/bus.ts'

busConformance('postgres bus', testPorts)
