const BUFFER_BYTES = 256 * 1024
/** Most buffers kept for reuse; more are left to the garbage collector. */
const MOST_SPARE = 16
const spare: Buffer[] = []

/**
 * A reusable buffer for bytes between a socket and a disk. A new one for each piece would be garbage outside of the heap,
 * for which Node collects the whole heap every few dozen MB.
 */
export const acquireBuffer = (): Buffer => spare.pop() ?? Buffer.allocUnsafeSlow(BUFFER_BYTES)

/** Returns a buffer to the pool. The caller must not use it afterwards. */
export function releaseBuffer(buffer: Buffer): void {
  if (spare.length < MOST_SPARE) spare.push(buffer)
}
