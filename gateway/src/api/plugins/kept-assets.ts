import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { Job } from '@prelude/platform'
import type { KeyValue } from '../key-value/port.ts'
import { type Compressed, compress, sendCompressed } from './compressed.ts'
import { FOREVER, type WebPage } from './web.ts'

/** A page that was open when a build was replaced loads its other scripts from it for so long. */
const KEPT_MS = 7 * 24 * 60 * 60_000
const TYPES = new Map([
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
])

const keyOf = (name: string): string => `web-asset:${name}`

/** Keeps scripts and styles of this gateway's build in the key-value store. */
export const keepAssets = (kv: Pick<KeyValue, 'set'>, webRoot: string): Job => ({
  name: 'keep-assets',
  everyMs: KEPT_MS / 7,
  run: async (signal) => {
    const folder = join(webRoot, 'assets')
    const names = await readdir(folder).catch(() => [])
    for (const name of names.filter((one) => TYPES.has(extname(one)))) {
      if (signal.aborted) return
      await kv.set(keyOf(name), await readFile(join(folder, name), 'utf8'), KEPT_MS)
    }
  },
})

/**
 * Answers with scripts and styles of other builds: of the one before, and during a rolling update of the one that another
 * gateway has. Any other path is `webPage`'s.
 */
export function withKeptAssets(kv: Pick<KeyValue, 'get'>, webPage: WebPage): WebPage {
  /** By name, from which the content follows: compressing one at each request would hold up all others. */
  const compressed = new Map<string, Compressed>()
  return (request, reply) => {
    const [, name = ''] = /^\/assets\/([\w.-]+)$/.exec(request.url) ?? []
    const type = TYPES.get(extname(name))
    if (type === undefined) return webPage(request, reply)
    const answer = (text: string | null): unknown => {
      if (text === null) return webPage(request, reply)
      const script = compressed.get(name) ?? compress(text)
      compressed.set(name, script)
      return sendCompressed(request, reply.code(200).headers(FOREVER).type(type), script)
    }
    kv.get(keyOf(name)).then(answer, () => webPage(request, reply))
  }
}
