import { cp, mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** Beside the database and the audio: secrets, and what stand-ins know; those are not there when real ones are in use. */
const KEPT_FILES = ['secrets.json', 'ports.json', 'checkout.json', 'mailbox.jsonl', 'identity']

export async function copyKeptFiles(from: string, to: string): Promise<void> {
  for (const name of KEPT_FILES) await copyUnlessThere(join(from, name), join(to, name))
}

/** A file or folder; nothing happens when there is nothing to copy. */
export async function copyUnlessThere(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 })
  await cp(from, to, { recursive: true, force: false, preserveTimestamps: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
    },
  )
}
