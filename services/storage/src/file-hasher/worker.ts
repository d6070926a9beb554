import { createHash, type Hash } from 'node:crypto'
import { writeSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import type { Answer, Task } from './file-hasher.ts'

/** Hashes and writes in a thread of its own, so that the event loop answers requests meanwhile. By file. */
const hashes = new Map<number, Hash>()

function perform({ file, fd, pieces, next }: Task): string | undefined {
  const hash = hashes.get(file) ?? createHash('sha256')
  hashes.set(file, hash)
  for (const piece of pieces) {
    hash.update(piece)
    for (let written = 0; written < piece.length;) written += writeSync(fd, piece, written)
    piece.buffer.transfer(0) // frees it now, not with the next garbage collection
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
