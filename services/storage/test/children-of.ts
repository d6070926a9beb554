import { readdirSync, readFileSync } from 'node:fs'

/** The processes that this process started, and those that they started (Linux). */
export function childrenOf(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) => listOf(pid, thread))
  return children.flatMap((child) => [child, ...childrenOf(child)])
}

function listOf(pid: number, thread: string): number[] {
  try {
    const list = readFileSync(`/proc/${pid}/task/${thread}/children`, 'latin1')
    return list.split(' ').filter(Boolean).map(Number)
  } catch {
    return [] // it ended meanwhile
  }
}
