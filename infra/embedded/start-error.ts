/** Why the product cannot start, in one sentence for the person who started it: shown without a stack. */
export class StartError extends Error {
  override readonly name: string = 'StartError'
}

/** Turns a failed file operation on `place` into a sentence; anything else stays as it is. */
export function fileError(error: unknown, place: string): unknown {
  switch ((error as NodeJS.ErrnoException | null)?.code) {
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new StartError(`Cannot write to ${place}: permission denied.`, { cause: error })
    case 'ENOSPC':
    case 'EDQUOT':
      return new StartError(`No space is left on the disk that holds ${place}.`, { cause: error })
    case 'ENOENT':
    case 'ENOTDIR':
    case 'EEXIST':
    case 'ENOTEMPTY':
      return new StartError(`${place} cannot be used: no folder can be made there.`, {
        cause: error,
      })
    default:
      return error
  }
}
