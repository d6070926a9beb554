import { TOPICS } from '@prelude/contracts'
import {
  BUS_MIGRATIONS,
  BUS_SCHEMA,
  type EventBus,
  KV_MIGRATIONS,
  KV_SCHEMA,
  type SchemaSpec,
} from '@prelude/platform'

/** The schemas of the adapters that live in PostgreSQL; each service brings its own beside these. */
export const ADAPTER_SCHEMAS: readonly SchemaSpec[] = [
  { schema: BUS_SCHEMA, migrations: BUS_MIGRATIONS, withEvents: false },
  { schema: KV_SCHEMA, migrations: KV_MIGRATIONS, withEvents: false },
]

export const createTopics = (bus: EventBus): Promise<void> => bus.createTopics(TOPICS)
