const PIECE_BYTES = 256 * 1024
/** That wait for whoever comes next; more are left to the garbage collector. */
const MOST_SPARE = 16
const spare: Buffer[] = []

/**
 * A buffer for bytes on their way between a socket and a disk, to be filled again and again: a fresh one for each piece is
 * garbage outside of the heap, for which Node looks through the whole heap every few dozen MB.
 */
export const takePiece = (): Buffer => spare.pop() ?? Buffer.allocUnsafeSlow(PIECE_BYTES)

/** Nobody may read from it or write to it any more. */
export function givePiece(piece: Buffer): void {
  if (spare.length < MOST_SPARE) spare.push(piece)
}
