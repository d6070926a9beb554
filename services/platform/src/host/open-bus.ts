import { type EventBus, kafkaBus, logBus } from '../events/index.ts'
import type { Logger } from '../observability/index.ts'
import { ConfigError } from '../errors.ts'
import type { Identity } from '../identity.ts'

/**
 * `BUS_URL`: postgres:// (the services' event logs themselves), kafka:// or kafkas:// (`kafkaAddress`); `identity`: of the
 * service that publishes and subscribes there; `onlySubscriber`: no other process subscribes. A Kafka consumer that cannot
 * recover, and a log that has lost events (LogTruncated), end the process, and its supervisor starts a new one. Errors:
 * ConfigError for another scheme.
 */
export function openBus(
  url: string,
  logger: Logger,
  { identity, onlySubscriber }: { identity?: Identity; onlySubscriber?: boolean } = {},
): EventBus {
  const onFatal = (): never => process.exit(1)
  if (/^postgres(ql)?:/.test(url)) return logBus({ url, logger, onFatal, onlySubscriber })
  if (/^kafkas?:/.test(url)) return kafkaBus({ url, identity, logger, onFatal })
  throw new ConfigError('Bad settings: BUS_URL must be postgres://…, kafka://… or kafkas://….')
}
