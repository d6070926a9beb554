/** The host of a service: configuration, health, jobs, operations, starting and stopping. */
export {
  busUrl,
  credits,
  decimal,
  email,
  integer,
  oneOf,
  onOff,
  optional,
  readConfig,
  setting,
  type Setting,
  type Settings,
  text,
  trialSetting,
  url,
  writeSetting,
} from './config.ts'
export {
  generatorUrl,
  logLevel,
  productSettings,
  rateLimits,
  STAND_IN_GENERATOR,
  termsSettings,
  tracingSettings,
} from './product-settings.ts'
export { startJob } from './jobs.ts'
export { checkInvariants } from './ops/check-invariants.ts'
export { drainConnections } from './drain.ts'
export type { Dependency } from './health-checks.ts'
export { openBus } from './open-bus.ts'
export { type Running, runService } from './run-service.ts'
export { type Program, serveAlone, settingsOf } from './serve-alone.ts'
export { isSafe, isShort, providerSecret, shortSecrets, trialValues, withoutTls } from './rules.ts'
export { type Invariant, type Job, type Service, timeIn } from './service.ts'
