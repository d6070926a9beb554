export interface Mail {
  /** Stable for one cause, so that mail programs recognise a duplicate. */
  readonly messageId: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

export interface Mailer {
  /** Resolves when the server took it. */
  send(mail: Mail): Promise<void>
  ping(): Promise<void>
  close(): Promise<void>
}
