import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { TARGET } from './build/oldest-browsers.ts'
import { beforePaint, compressedFiles, preloadEnglish, serviceWorker } from './build/plugins.ts'

/** Modules that the entry script imports statically. */
const initial: { tags: '$initial'[] } = { tags: ['$initial'] }

/**
 * What the first page loads. Libraries seldom change, so that a browser that returns has them. No chunk imports the entry
 * script, which names all others, and catalogues import no chunk that changes often: so a changed line changes few names.
 */
const CHUNKS = [
  { ...initial, name: 'vendor', test: /node_modules|^\0/, priority: 3 },
  {
    ...initial,
    name: 'format', // and other modules that seldom change
    test: /messages[\\/]format|contracts[\\/]src[\\/](money|limits)|landing[\\/]peaks|ui[\\/](brand|cassette|waveform)/,
    priority: 2,
  },
  { ...initial, name: 'app', test: /src[\\/](?!main|routes|languages)/, priority: 1 },
]

/** In development the page of a link is served from its source; builds have a configuration for it (vite.share.config.ts). */
const sharePage: Plugin = {
  name: 'share-page',
  configureServer: ({ middlewares }) => {
    middlewares.use((request, _response, next) => {
      if (request.url?.startsWith('/s/')) request.url = '/share.html'
      next()
    })
  },
}

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), preloadEnglish, beforePaint, serviceWorker, compressedFiles, sharePage],
  build: {
    target: TARGET,
    // one sheet: one that comes with a later page and fails to load is never asked for again
    cssCodeSplit: false,
    assetsInlineLimit: 0,
    outDir: 'dist',
    emptyOutDir: true,
    rolldownOptions: { output: { codeSplitting: { groups: CHUNKS } } },
  },
  server: { proxy: { '/api': process.env['API_URL'] ?? 'http://localhost:8080' } },
})
