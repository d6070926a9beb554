import { createHash, type Hash } from 'node:crypto'
import { readSync, writeSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import type { Answer, Task } from './file-hasher.ts'

/** Hashes, writes and reads in a thread of its own, so that the event loop answers requests meanwhile. By file. */
const hashes = new Map<number, Hash>()

/** What is read is hashed from here. */
const buffer = Buffer.allocUnsafeSlow(256 * 1024)

function perform({ file, fd, pieces, reads, next }: Task): string | undefined {
  const hash = hashes.get(file) ?? createHash('sha256')
  hashes.set(file, hash)
  for (const piece of pieces) {
    hash.update(piece)
    for (let written = 0; written < piece.length;) written += writeSync(fd, piece, written)
    piece.buffer.transfer(0) // frees it now, not with the next garbage collection
  }
  for (let left = reads; left > 0;) {
    const read = readSync(fd, buffer, 0, Math.min(left, buffer.length), null)
    if (read === 0) throw new Error('the file became shorter while it was hashed')
    hash.update(buffer.subarray(0, read))
    left -= read
  }
  if (next === 'continue') return undefined
  hashes.delete(file)
  return next === 'finish' ? hash.digest('hex') : undefined
}

parentPort?.on('message', (task: Task) => {
  const answer: Answer = { number: task.number }
  try {
    parentPort?.postMessage({ ...answer, sha256: perform(task) })
  } catch (error) {
    parentPort?.postMessage({ ...answer, error })
  }
})
