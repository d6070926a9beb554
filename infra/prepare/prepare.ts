import { ConfigError, type Logger, migrate, open, roleOf } from '@prelude/platform'
import { ADAPTER_SCHEMAS, createTopics, PART_SCHEMAS } from './schemas.ts'

export interface Places {
  /** The database's owner, who may make schemas and roles. */
  readonly adminUrl: string
  readonly busUrl: string
  readonly kvUrl: string
  /** By schema: the address under which that part will connect; its role gets the password in it. */
  readonly databaseUrls: Readonly<Record<string, string>>
}

/**
 * What must be there before parts start, made or brought up to date: a schema and a role a part, the topics. Safe to run
 * again and at once. Errors: ConfigError for an address of another role than the part's own.
 */
export async function prepare(places: Places, logger: Logger): Promise<void> {
  const { adminUrl, busUrl, kvUrl, databaseUrls } = places
  const all: Record<string, string> = { ...databaseUrls, bus: busUrl, kv: kvUrl }
  for (const spec of [...PART_SCHEMAS, ...ADAPTER_SCHEMAS]) {
    const address = all[spec.schema] ?? ''
    if (!/^postgres(ql)?:/.test(address)) continue // the adapter is another one
    const url = new URL(address)
    if (url.username !== roleOf(spec.schema))
      throw new ConfigError(`Bad settings: the address of ${spec.schema} must name ${roleOf(spec.schema)}.`)
    await migrate(adminUrl, spec, decodeURIComponent(url.password), logger)
    logger.info({ schema: spec.schema }, 'schema and role are up to date')
  }
  const bus = open.bus(busUrl, logger)
  try {
    await createTopics(bus)
    logger.info('topics are there')
  } finally {
    await bus.close()
  }
}
