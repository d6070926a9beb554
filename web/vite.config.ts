import react from '@vitejs/plugin-react'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
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

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), serviceWorker],
  build: { target: 'es2022', assetsInlineLimit: 0, outDir: 'dist', emptyOutDir: true },
  server: { proxy: { '/api': process.env['API_URL'] ?? 'http://localhost:8080' } },
})
