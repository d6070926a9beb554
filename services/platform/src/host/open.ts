import { type EventBus, kafkaBus, logBus } from '../events/index.ts'
import type { Logger } from '../observability/index.ts'
import { ConfigError } from '../errors.ts'
import type { Identity } from '../identity.ts'

/** The adapter behind each port is chosen by the scheme of one URL. Errors: ConfigError for an unknown scheme. */
export const open = {
  /**
   * `BUS_URL`: postgres:// (the services' event logs themselves), kafka:// or kafkas:// (`kafkaAddress`); `identity`: of the
   * service that publishes and subscribes there; `onlySubscriber`: no other process subscribes. A Kafka consumer that cannot recover, and a log that has lost events (LogTruncated),
   * end the process, and its supervisor starts a new one.
   */
  bus: (
    url: string,
    logger: Logger,
    { identity, onlySubscriber }: { identity?: Identity; onlySubscriber?: boolean } = {},
  ): EventBus => {
    const onFatal = (): never => process.exit(1)
    if (isPostgres(url)) return logBus({ url, logger, onFatal, onlySubscriber })
    if (/^kafkas?:/.test(url)) return kafkaBus({ url, identity, logger, onFatal })
    throw unknownScheme('BUS_URL', url)
  },
}

const isPostgres = (url: string): boolean => /^postgres(ql)?:/.test(url)

const unknownScheme = (env: string, url: string): ConfigError =>
  new ConfigError(`Bad settings: ${env} has a scheme that no adapter serves (${url.split(':')[0]}).`)
