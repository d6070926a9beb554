/** The bus will never take this message (it is too large): the key blocks, others flow. Nothing of the batch was sent. */
export class MessageRefused extends Error {
  override readonly name = 'MessageRefused'
  /** Place of the message in the batch. */
  readonly index: number
  constructor(index: number, reason: string) {
    super(reason)
    this.index = index
  }
}

/** Kafka's default limit, kept by every adapter so that a move changes nothing. Bytes of key and value. */
export const MAX_MESSAGE_BYTES = 1_000_000

/** Errors: MessageRefused for the first message over the limit. */
export function refuseOversized(messages: readonly { key: string; value: string }[]): void {
  messages.forEach((message, index) => {
    const bytes = Buffer.byteLength(message.key) + Buffer.byteLength(message.value)
    if (bytes > MAX_MESSAGE_BYTES)
      throw new MessageRefused(
        index,
        `the event has ${bytes} bytes, at most ${MAX_MESSAGE_BYTES} are possible`,
      )
  })
}
