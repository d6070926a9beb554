import type { EventEnvelope, ServiceName } from '@prelude/contracts'

/**
 * The handlers of 0.1.0, whose events do not name the services that they are for. It never changes: later subscriptions begin
 * with the first event that names their service. 14 days after an update from 0.1.0 no such event is kept any more.
 */
const HANDLED_BY_0_1_0: Readonly<Partial<Record<ServiceName, readonly string[]>>> = {
  songs: ['AccountClosed', 'CreditsCharged', 'CreditsDeclined', 'CreditsRefunded', 'VersionsAnalyzed'],
  credits: [
    ...['AccountClosed', 'UserRegistered', 'SongRequested', 'SongStarted', 'SongFulfilled', 'SongClosed'],
    ...['PaymentSucceeded', 'PaymentReversed', 'PaymentReinstated'],
  ],
  payments: ['AccountClosed', 'CreditsAdded'],
  storage: ['TakesChanged', 'TakesRefused', 'SongErased'],
  notifier: [
    ...['AccountClosed', 'OperatorUnlocked', 'UnlockLimitReached', 'SongFulfilled', 'SongClosed', 'SongLate'],
    ...['ChangesAsked', 'ChangesDelivered', 'CreditsCharged', 'CreditsDeclined', 'CreditsRefunded'],
    ...['CreditsReversed', 'CreditsAdjusted', 'DebtChanged', 'PaymentSucceeded', 'PaymentSuspicious'],
    ...['TransferOpened', 'TransferSettled'],
  ],
}

/** Whether the emitter says that this service has to handle the event. */
export const isFor = (service: ServiceName, { for: services, type }: EventEnvelope): boolean =>
  services ? services.includes(service) : (HANDLED_BY_0_1_0[service]?.includes(type) ?? false)
