/** Mailer: SMTP. */
export * from './port.ts'
export { smtpMailer } from './smtp-mailer.ts'
