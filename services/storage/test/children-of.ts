import { readdirSync, readFileSync } from 'node:fs'

/** The processes that this process started, and those that they started (Linux). */
export function childrenOf(pid: number): number[] {
  const threads = listed(() => readdirSync(`/proc/${pid}/task`))
  const children = threads.flatMap((thread) =>
    listed(() => readFileSync(`/proc/${pid}/task/${thread}/children`, 'latin1').split(' ')),
  )
  return children.filter(Boolean).flatMap((child) => [Number(child), ...childrenOf(Number(child))])
}

/** Nothing when it ended meanwhile. */
function listed(read: () => string[]): string[] {
  try {
    return read()
  } catch {
    return []
  }
}
