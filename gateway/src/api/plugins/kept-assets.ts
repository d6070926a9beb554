import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { Clock, Logger } from '@prelude/platform'
import type { FastifyInstance } from 'fastify'
import { every } from '../every.ts'
import type { KeyValue } from '../key-value/port.ts'
import { FOREVER, type WebPage } from './web.ts'

/** A page that was open when a build was replaced loads its other scripts from it for so long. */
const KEPT_MS = 7 * 24 * 60 * 60_000
const RENEWED_EVERY_MS = KEPT_MS / 7
const TYPES = new Map([
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
])
interface Deps {
  readonly kv: KeyValue
  readonly clock: Clock
  readonly config: { readonly webRoot: string }
  readonly logger: Logger
}

const keyOf = (name: string): string => `web-asset:${name}`

/**
 * Keeps scripts and styles of this gateway's build in the key-value store, and answers with those of other builds: of the one
 * before, and during a rolling update of the one that another gateway has. Any other path is `webPage`'s.
 */
export function keepAssets(
  app: FastifyInstance,
  { kv, clock, config, logger }: Deps,
  webPage: WebPage,
): WebPage {
  const folder = join(config.webRoot, 'assets')
  const store = async (): Promise<void> => {
    const names = await readdir(folder).catch(() => [])
    for (const name of names.filter((one) => TYPES.has(extname(one))))
      await kv.set(keyOf(name), await readFile(join(folder, name), 'utf8'), KEPT_MS)
  }
  const renew = (): void =>
    void store().catch((err: unknown) =>
      logger.warn({ err }, 'the build is not kept for pages that are open'),
    )
  const over = new AbortController()
  app.addHook('onReady', async () => {
    renew()
    void every(clock, RENEWED_EVERY_MS, over.signal, renew)
  })
  app.addHook('onClose', async () => over.abort())
  return (request, reply) => {
    const [, name = ''] = /^\/assets\/([\w.-]+)$/.exec(request.url) ?? []
    const type = TYPES.get(extname(name))
    if (type === undefined) return webPage(request, reply)
    const answer = (text: string | null): unknown =>
      text === null ? webPage(request, reply) : reply.code(200).headers(FOREVER).type(type).send(text)
    kv.get(keyOf(name)).then(answer, () => webPage(request, reply))
  }
}
