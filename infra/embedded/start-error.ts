/** The product cannot start, for a reason in one sentence: printed without a stack trace. */
export class StartError extends Error {
  override readonly name: string = 'StartError'
}

/** Turns a failed file operation on `path` into a StartError; other errors stay as they are. */
export function fileError(error: unknown, path: string): unknown {
  switch ((error as NodeJS.ErrnoException | null)?.code) {
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new StartError(`Cannot write to ${path}: permission denied.`, { cause: error })
    case 'ENOSPC':
    case 'EDQUOT':
      return new StartError(`No space is left on the disk that holds ${path}.`, { cause: error })
    case 'ENOENT':
    case 'ENOTDIR':
    case 'EEXIST':
    case 'ENOTEMPTY':
      return new StartError(`${path} cannot be used: no folder can be made there.`, {
        cause: error,
      })
    default:
      return error
  }
}
