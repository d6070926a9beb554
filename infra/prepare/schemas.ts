import { TOPICS } from '@prelude/contracts'
import { creditsSchema } from '@prelude/credits'
import { gatewaySchema } from '@prelude/gateway'
import { notifierSchema } from '@prelude/notifier'
import { paymentsSchema } from '@prelude/payments'
import {
  BUS_MIGRATIONS,
  BUS_SCHEMA,
  type EventBus,
  KV_MIGRATIONS,
  KV_SCHEMA,
  type SchemaSpec,
} from '@prelude/platform'
import { songsSchema } from '@prelude/songs'
import { storageSchema } from '@prelude/storage'

/** The schemas of the adapters that live in PostgreSQL. */
export const ADAPTER_SCHEMAS: readonly SchemaSpec[] = [
  { schema: BUS_SCHEMA, migrations: BUS_MIGRATIONS, withEvents: false },
  { schema: KV_SCHEMA, migrations: KV_MIGRATIONS, withEvents: false },
]

export const PART_SCHEMAS: readonly SchemaSpec[] = [
  gatewaySchema,
  songsSchema,
  creditsSchema,
  paymentsSchema,
  storageSchema,
  notifierSchema,
].map((schema) => ({ ...schema, withEvents: true }))

export const createTopics = (bus: EventBus): Promise<void> => bus.createTopics(TOPICS)
