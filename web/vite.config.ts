import react from '@vitejs/plugin-react'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { defineConfig, type Plugin } from 'vite'

/** Writes sw.js: the service worker with the file names of this build. */
const serviceWorker: Plugin = {
  name: 'service-worker',
  apply: 'build',
  generateBundle(_options, bundle) {
    const files = Object.keys(bundle).filter((name) => name.startsWith('assets/'))
    const names = JSON.stringify(files.toSorted().map((name) => `/${name}`))
    const build = createHash('sha256').update(names).digest('hex').slice(0, 12)
    const source = readFileSync(join(import.meta.dirname, 'src/offline/worker.js'), 'utf8')
      .replace('FILES = []', `FILES = ${names}`)
      .replace("'BUILD'", `'${build}'`)
    this.emitFile({ type: 'asset', fileName: 'sw.js', source })
  },
}

const TEXT = /\.(js|css|svg|json)$/

/** Compresses text files once: the gateway serves `x.br` or `x.gz` as `x`. Not those that it fills in, which are HTML and the manifest. */
const compressedFiles: Plugin = {
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

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), serviceWorker, compressedFiles],
  build: { target: 'es2022', assetsInlineLimit: 0, outDir: 'dist', emptyOutDir: true },
  server: { proxy: { '/api': process.env['API_URL'] ?? 'http://localhost:8080' } },
})
