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
import type { Client } from '@prelude/platform'

export type CertificatesClient = Client<typeof certificatesApi>
export type CreditsClient = Client<typeof creditsApi>
export type NoticesClient = Client<typeof noticesApi>
export type NotifierClient = Client<typeof notifierApi>
export type PaymentsClient = Client<typeof paymentsApi>
export type PreferencesClient = Client<typeof preferencesApi>
export type PushClient = Client<typeof pushApi>
export type SharesClient = Client<typeof sharesApi>
export type SongsClient = Client<typeof songsApi>
export type StorageClient = Client<typeof storageApi>
