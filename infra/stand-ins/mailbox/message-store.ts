import { appendFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Message } from './message.ts'

const KEEP = 2_000

export interface MessageStore {
  /** Stored when it returns. */
  add(message: Message): void
  /** Newest first; of one address (case-insensitive) or all. */
  list(to?: string | null): Message[]
  find(id: string): Message | undefined
  clear(): void
}

/** Keeps the last 2,000 messages, in memory and as lines of `file`. */
export function messageStore(file: string | undefined): MessageStore {
  let messages = file === undefined ? [] : load(file)
  if (file !== undefined) rewrite(file, messages)
  let lines = messages.length

  return {
    add(message) {
      messages.push(message)
      if (messages.length > KEEP) messages.shift()
      if (file === undefined) return
      if (++lines > 2 * KEEP) {
        rewrite(file, messages)
        lines = messages.length
      } else appendFileSync(file, `${JSON.stringify(message)}\n`)
    },
    list(to) {
      const address = to?.trim().toLowerCase()
      return messages
        .filter((message) => !address || message.to.some((one) => one.toLowerCase() === address))
        .toReversed()
    },
    find: (id) => messages.find((message) => message.id === id),
    clear() {
      messages = []
      lines = 0
      if (file !== undefined) rewrite(file, messages)
    },
  }
}

function load(file: string): Message[] {
  let text = ''
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const messages = text.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line) as Message]
    } catch {
      return [] // the last line, torn by a kill: its sender got no acknowledgement
    }
  })
  return messages.slice(-KEEP)
}

function rewrite(file: string, messages: readonly Message[]): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(`${file}.new`, messages.map((message) => `${JSON.stringify(message)}\n`).join(''), {
    mode: 0o600,
  })
  renameSync(`${file}.new`, file)
}
