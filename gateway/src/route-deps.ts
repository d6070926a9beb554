import type {
  certificatesApi,
  creditsApi,
  noticesApi,
  notifierApi,
  paymentsApi,
  preferencesApi,
  pushApi,
  sharesApi,
  songsApi,
  storageApi,
} from '@prelude/contracts'
import type { Client, Clock, Database, EventBus, KeyValue, Logger, ServiceCall } from '@prelude/platform'
import type { Countries } from './money/countries.ts'
import type { GatewayConfig } from './config.ts'
import type { Drawings } from './share/drawing/drawings.ts'
import type { KeyedHash } from './api/keyed-hash.ts'
import type { IdentityProvider } from './accounts/identity-provider.ts'
import type { GatewayMeasures } from './ops/measures.ts'
import type { OperatorPassword } from './operator/password.ts'
import type { SongReads } from './songs/song-reads.ts'
import type { Sessions } from './accounts/sessions.ts'
import type { Recent } from './ops/recent.ts'
import type { createOpsReader, opsClients } from './ops/snapshot.ts'
import type { UserRecords } from './accounts/store/users.ts'

export interface GatewayDeps {
  readonly db: Database
  readonly clock: Clock
  readonly kv: KeyValue
  readonly bus: EventBus
  readonly calls: ServiceCall
  readonly logger: Logger
  readonly config: GatewayConfig
}

/** The dependencies of routes and plugins. */
export interface RouteDeps extends GatewayDeps, UserRecords {
  readonly songs: Client<typeof songsApi>
  readonly shares: Client<typeof sharesApi>
  readonly certificates: Client<typeof certificatesApi>
  readonly credits: Client<typeof creditsApi>
  readonly payments: Client<typeof paymentsApi>
  readonly storage: Client<typeof storageApi>
  readonly notifier: Client<typeof notifierApi>
  readonly notices: Client<typeof noticesApi>
  readonly preferences: Client<typeof preferencesApi>
  readonly push: Client<typeof pushApi>
  readonly sessions: Sessions
  readonly operatorPassword: OperatorPassword
  readonly identity: IdentityProvider
  /** Of a request's query and body. */
  readonly fingerprint: KeyedHash
  readonly countries: Countries
  readonly drawings: Drawings
  readonly songReads: SongReads
  readonly measures: GatewayMeasures
  readonly recent: Recent
  /** Rejects until the gateway's schema has had every migration of this version. */
  readonly assertMigrated: () => Promise<void>
  /** Of every service. */
  readonly ops: ReturnType<typeof opsClients>
  readonly readOps: ReturnType<typeof createOpsReader>
}
