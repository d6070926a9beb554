import { setFlagsFromString } from 'node:v8'

/**
 * To be called first in a process. By itself V8 looks through the whole heap for every few MB of buffers that came from the
 * network, however small the heap is; with this, buffers and heap are one sum, and it looks when the sum has grown enough.
 */
export const countBuffersWithHeap = (): void =>
  setFlagsFromString('--external-memory-accounted-in-global-limit')
