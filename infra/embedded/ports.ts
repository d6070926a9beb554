import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { StartError } from './start-error.ts'

const NAMES = ['identity', 'checkout', 'mailbox', 'smtp', 'generator'] as const
type StandInPorts = Record<(typeof NAMES)[number], number>

/**
 * Chooses the ports of the stand-ins: those of the last start where they are free (the address of an open checkout stays
 * valid), else the ones after the product's own, else any free ones. Kept in the data folder.
 */
export async function standInPorts(dataDir: string, publicPort: number): Promise<StandInPorts> {
  const path = join(dataDir, 'ports.json')
  const kept = await readFile(path, 'utf8').then(
    (content) => JSON.parse(content) as Partial<StandInPorts>,
    (): Partial<StandInPorts> => ({}),
  )
  const chosen: Partial<StandInPorts> = {}
  for (const [i, name] of NAMES.entries()) {
    const preferred = [kept[name], publicPort + 1 + i].filter((port) => port !== undefined)
    chosen[name] = await firstFree(
      preferred.filter((port) => port !== publicPort && !Object.values(chosen).includes(port)),
    )
  }
  await writeFile(path, JSON.stringify(chosen))
  return chosen as StandInPorts
}

/** The first of these that is free, else any free one. */
export async function firstFree(preferred: readonly number[]): Promise<number> {
  for (const port of preferred) if (port < 65_536 && (await isFree(port, '127.0.0.1'))) return port
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  await new Promise((resolve) => {
    server.close(resolve)
  })
  if (typeof address !== 'object' || address === null)
    throw new StartError('No free port is left on this machine.')
  return address.port
}

export async function isFree(port: number, host: string): Promise<boolean> {
  const server = createServer()
  try {
    await once(server.listen({ port, host, exclusive: true }), 'listening')
    return true
  } catch {
    return false
  } finally {
    server.close()
  }
}

/** Checks the public port before anything is started. Errors: StartError with one sentence. */
export async function assertFree(port: number, host: string): Promise<void> {
  if (!(await isFree(port, host)))
    throw new StartError(`Port ${port} is taken by another program; choose one with PORT=….`)
}
