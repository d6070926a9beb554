import {
  certificatesApi,
  creditsApi,
  draftsApi,
  messagesApi,
  noticesApi,
  notifierApi,
  paymentsApi,
  preferencesApi,
  pushApi,
  sharesApi,
  songsApi,
  storageApi,
} from '@prelude/contracts'
import { client, type ServiceCall } from '@prelude/platform'

/** The operations of the other services. */
export const createClients = (calls: ServiceCall) => ({
  certificates: client(calls, 'songs', certificatesApi),
  credits: client(calls, 'credits', creditsApi),
  drafts: client(calls, 'storage', draftsApi),
  messages: client(calls, 'songs', messagesApi),
  notices: client(calls, 'notifier', noticesApi),
  notifier: client(calls, 'notifier', notifierApi),
  payments: client(calls, 'payments', paymentsApi),
  preferences: client(calls, 'notifier', preferencesApi),
  push: client(calls, 'notifier', pushApi),
  shares: client(calls, 'songs', sharesApi),
  songs: client(calls, 'songs', songsApi),
  storage: client(calls, 'storage', storageApi),
})
type Clients = ReturnType<typeof createClients>

export type CertificatesClient = Clients['certificates']
export type CreditsClient = Clients['credits']
export type DraftsClient = Clients['drafts']
export type MessagesClient = Clients['messages']
export type NoticesClient = Clients['notices']
export type NotifierClient = Clients['notifier']
export type PaymentsClient = Clients['payments']
export type PreferencesClient = Clients['preferences']
export type PushClient = Clients['push']
export type SharesClient = Clients['shares']
export type SongsClient = Clients['songs']
export type StorageClient = Clients['storage']
