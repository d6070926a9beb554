/**
 * Every alert of the product's own watch: what is wrong and what to do, as mails say it, and /ops where its reader has chosen
 * English. A name is a heading of docs/operations/alerts.md. The command that goes with it depends on the installation (notifier).
 */
export const ALERTS = {
  PreludeServiceDown: {
    what: 'A service does not answer.',
    toDo: 'Read the end of its log. It is restarted automatically, unless a setting is wrong.',
  },
  PreludeInstanceDown: {
    what: 'One process of a service does not report.',
    toDo: 'The others do its work. Read its log if it does not come back within minutes.',
  },
  PreludeDependencyDown: {
    what: 'A server that Prelude needs does not answer.',
    toDo: 'Check that server, not Prelude: work that waits continues once it is back.',
  },
  PreludeConsumerStalled: {
    what: 'A service has stopped reading events.',
    toDo: 'Restart the service; nothing is lost.',
  },
  PreludeConnectionsExhausted: {
    what: 'A service uses all of its database connections.',
    toDo: 'Look at the slow requests in Operations. If it lasts, add an instance or raise the limit.',
  },
  PreludeJobFailing: {
    what: 'A regular job of a service fails again and again.',
    toDo: 'Read its error in the log. It is tried again automatically.',
  },
  PreludeEventsNotForwarded: {
    what: 'Events wait to be passed on to other services.',
    toDo: 'Look at Kafka. Nothing is lost; charges and mails come late.',
  },
  PreludeDeadLetters: {
    what: 'Events could not be handled.',
    toDo: 'Read their error in Operations and repair its cause. Then press Replay there, or replay them.',
  },
  PreludeConsumerLagging: {
    what: 'A service handles events more slowly than they come.',
    toDo: 'Wait if there is a burst; add an instance if it grows.',
  },
  PreludeMailQueueOld: {
    what: 'Mails have waited for long.',
    toDo: 'Look at the mail server, and at the errors of the mails in Operations. They are tried for 24 hours.',
  },
  PreludeMailsFailed: {
    what: 'Mails were given up after 24 hours, or refused for good.',
    toDo: 'Send them again in Operations once their error is repaired.',
  },
  PreludePushesUnauthorized: {
    what: 'Push services refuse our signature.',
    toDo: 'Check the clock, and that the keys for web push are those of before.',
  },
  PreludeCrossCheckStale: {
    what: 'The books of the services have not been compared for hours.',
    toDo: 'Read the log of the job that checks the invariants.',
  },
  PreludeBackupOld: {
    what: 'No backup has been taken for more than a day.',
    toDo: 'Read the log of the nightly backup, repair it, and take one.',
  },
  PreludeBackupFindings: {
    what: 'The last backup is complete, but something is wrong with the data.',
    toDo: 'Read the log of the backup. Keep an older backup that may hold what is missing.',
  },
  PreludeWalNotArchived: {
    what: 'The database’s changes are not archived: its disk fills.',
    toDo: 'Look at the object store of the archive, and at PostgreSQL’s log.',
  },
  PreludeCertificateExpires: {
    what: 'The certificate of the public address expires within two weeks.',
    toDo: 'Look at the proxy that renews it.',
  },
  PreludePaymentsUncredited: {
    what: 'Somebody paid and has no credits yet.',
    toDo: 'Look at the dead letters of credits in Operations, and at the payment in the operator panel.',
  },
  PreludeTransfersWait: {
    what: 'A bank transfer waits for you.',
    toDo: 'People are promised an hour: confirm or reject it in the operator panel.',
  },
  PreludeChargeUndecided: {
    what: 'A request does not know whether it is paid.',
    toDo: 'Look at the service credits and its dead letters in Operations.',
  },
  PreludeSongsOverdue: {
    what: 'The promise of a paid song passed a day ago.',
    toDo: 'Make it, or give its credits back, in the operator panel.',
  },
  PreludeDiskLow: {
    what: 'The disk is nearly full.',
    toDo: 'Make room or add a larger disk before it is: then nothing can be stored any more.',
  },
  PreludeInvariantBroken: {
    what: 'The books contradict each other.',
    toDo: 'Make no adjustment. Check which invariants are broken, and read the section of this alert in docs/operations/alerts.md.',
  },
}
export type AlertName = keyof typeof ALERTS
