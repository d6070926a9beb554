import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { MAX_AUDIO_BYTES } from '@prelude/contracts'

/** Two files and the form around them; a longer body is cut off. */
const MAX_BYTES = 2 * MAX_AUDIO_BYTES + 1024 * 1024

/**
 * Reads and discards the rest of a body before an early refusal: many clients read the answer only when they have sent
 * everything, and Node's own stops sending for ever once it has an answer.
 */
export async function readToEnd(body: Readable): Promise<void> {
  let seen = 0
  body.unpipe()
  body.on('data', (chunk: Buffer) => {
    seen += chunk.length
    if (seen > MAX_BYTES) body.destroy()
  })
  body.resume()
  await finished(body, { writable: false }).catch(() => {}) // gone midway: there is no one to answer
}
