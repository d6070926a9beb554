/** Mailer: SMTP. */
export * from './port.ts'
export { needsStartTls, smtpMailer } from './smtp-mailer.ts'
