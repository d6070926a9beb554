import { creditsSchema } from '@prelude/credits'
import { gatewaySchema } from '@prelude/gateway'
import { notifierSchema } from '@prelude/notifier'
import { paymentsSchema } from '@prelude/payments'
import { schemaOf, type SchemaSpec } from '@prelude/platform'
import { songsSchema } from '@prelude/songs'
import { storageSchema } from '@prelude/storage'

/** The schemas of all services. */
export const SERVICE_SCHEMAS: readonly SchemaSpec[] = [
  gatewaySchema,
  songsSchema,
  creditsSchema,
  paymentsSchema,
  storageSchema,
  notifierSchema,
].map(schemaOf)
