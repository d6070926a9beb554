export { startGenerator, type GeneratorOptions, type GeneratorStandIn } from './start-generator.ts'
