import { cp } from 'node:fs/promises'
import { join } from 'node:path'

/** Beside the database and the audio: secrets, and what stand-ins know; those are not there when real ones are in use. */
const KEPT_FILES = ['secrets.json', 'ports.json', 'checkout.json', 'mailbox.jsonl', 'identity']

export async function copyKeptFiles(from: string, to: string): Promise<void> {
  for (const name of KEPT_FILES)
    await cp(join(from, name), join(to, name), {
      recursive: true,
      force: false,
      preserveTimestamps: true,
    }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
    })
}
