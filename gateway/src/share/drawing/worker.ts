import { parentPort } from 'node:worker_threads'
import { certificatePdf } from './certificate-pdf.ts'
import { coverPng } from './cover.ts'
import type { Answer, Sent, Task } from './task.ts'

/** The thread that draws: it alone loads the libraries for it. */

const draw = async (task: Task): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(task.kind === 'cover' ? coverPng(task.songId) : await certificatePdf(task))

parentPort?.postMessage('ready' satisfies Sent)
parentPort?.on('message', (task: Task) => {
  draw(task).then(
    (bytes) => parentPort?.postMessage({ bytes } satisfies Answer, [bytes.buffer]),
    (error: Error) => parentPort?.postMessage({ error: error.message } satisfies Answer),
  )
})
