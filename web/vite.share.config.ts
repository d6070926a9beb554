import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { TARGET } from './build/oldest-browsers.ts'
import { beforePaint, compressedFiles, preloadEnglish } from './build/plugins.ts'

/**
 * The page of a link, `/s/:token`, which strangers open on their phones: the same components on Preact instead of React, so that
 * a third as much has to be loaded (docs/decisions/0059). Built after the app, into the same folder.
 */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), preloadEnglish, beforePaint, compressedFiles],
  resolve: {
    alias: {
      'react-dom/client': 'preact/compat/client',
      'react/jsx-runtime': 'preact/jsx-runtime',
      react: 'preact/compat',
    },
  },
  build: {
    target: TARGET,
    assetsInlineLimit: 0,
    outDir: 'dist',
    emptyOutDir: false,
    copyPublicDir: false,
    rolldownOptions: { input: `${import.meta.dirname}/share.html` },
  },
})
