import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { Plugin } from 'vite'

const ROOT = join(import.meta.dirname, '..')

/** Writes sw.js: the service worker with the file names of this build. */
export const serviceWorker: Plugin = {
  name: 'service-worker',
  apply: 'build',
  generateBundle(_options, bundle) {
    const files = Object.keys(bundle).filter((name) => name.startsWith('assets/'))
    const names = JSON.stringify(files.toSorted().map((name) => `/${name}`))
    const build = createHash('sha256').update(names).digest('hex').slice(0, 12)
    const source = readFileSync(join(ROOT, 'src/offline/worker.js'), 'utf8')
      .replace('FILES = []', `FILES = ${names}`)
      .replace("'BUILD'", `'${build}'`)
    this.emitFile({ type: 'asset', fileName: 'sw.js', source })
  },
}

const BEFORE_PAINT = 'src/app/before-paint.js'

/** The script that must run before the first paint, as it is. A build gives its name a hash, so that it is cached for ever like the others. */
export const beforePaint: Plugin = {
  name: 'before-paint',
  renderStart() {
    const source = readFileSync(join(ROOT, BEFORE_PAINT), 'utf8')
    this.emitFile({ type: 'asset', name: 'before-paint.js', source })
  },
  transformIndexHtml: {
    order: 'post',
    handler: (_html, { bundle = {} }) => {
      const built = Object.keys(bundle).find((name) => /^assets\/before-paint-/.test(name))
      return [{ tag: 'script', attrs: { src: `/${built ?? BEFORE_PAINT}` }, injectTo: 'head' }]
    },
  },
}

const TEXT = /\.(js|css|svg|json)$/

/** Compresses text files once: the gateway serves `x.br` or `x.gz` as `x`. Not those that it fills in, which are HTML and the manifest. */
export const compressedFiles: Plugin = {
  name: 'compressed-files',
  apply: 'build',
  writeBundle({ dir = '' }) {
    for (const name of readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((one) =>
      TEXT.test(one),
    )) {
      const file = join(dir, name)
      const bytes = readFileSync(file)
      writeFileSync(`${file}.br`, brotliCompressSync(bytes))
      writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }))
    }
  },
}

const ENGLISH = join(ROOT, 'src/messages/visitor/en.ts')

/** The default language is part of the first page with what it imports, though the entry script imports it like the others. */
export const preloadEnglish: Plugin = {
  name: 'preload-english',
  transformIndexHtml: {
    order: 'post',
    handler: (html, { bundle = {} }) =>
      Object.values(bundle)
        .flatMap((file) =>
          file.type === 'chunk' && file.facadeModuleId === ENGLISH ? [file.fileName, ...file.imports] : [],
        )
        .filter((name) => !html.includes(name))
        .map((name) => ({
          tag: 'link',
          attrs: { rel: 'modulepreload', crossorigin: true, href: `/${name}` },
          injectTo: 'head',
        })),
  },
}
