/** The host of a service: configuration, health, jobs, operations, starting and stopping. */
export {
  busUrl,
  credits,
  decimal,
  email,
  integer,
  oneOf,
  readConfig,
  type Setting,
  text,
  url,
} from './config.ts'
export { startJob } from './jobs.ts'
export { checkInvariants } from './ops/check-invariants.ts'
export { drainConnections } from './drain.ts'
export type { Dependency } from './health-checks.ts'
export { open } from './open.ts'
export { type HostOptions, type Running, runService } from './run-service.ts'
export { serveAlone } from './serve-alone.ts'
export {
  contradictions,
  foreignSecret,
  paystackKey,
  publicOrigin,
  stripeKey,
  vapidKey,
  stripeWebhookSecret,
  withoutTls,
} from './rules.ts'
export type { Invariant, Job, Service } from './service.ts'
