export interface Mail {
  /** Stable for one cause, so that mail programs recognise a duplicate. */
  readonly messageId: string
  readonly to: string
  readonly replyTo?: string | undefined
  readonly subject: string
  readonly text: string
  readonly html: string
  /** The page where its person switches such mails off (RFC 2369). */
  readonly unsubscribeUrl?: string
}

/** The server refuses the recipient for good: no mail arrives at this address. `status` holds the codes of its answer, no text. */
export class RecipientRefused extends Error {
  override readonly name = 'RecipientRefused'
  readonly status: string

  constructor(status: string) {
    super(status)
    this.status = status
  }
}

export interface Mailer {
  /** Resolves when the server took it. Errors: RecipientRefused; all others may pass, or concern all mails. */
  send(mail: Mail): Promise<void>
  ping(): Promise<void>
  close(): Promise<void>
}
