import { open, serveAlone } from '@prelude/platform'
import { createStorage, storageSettings } from './index.ts'

await serveAlone({
  service: 'storage',
  settings: storageSettings,
  calls: ['songs'],
  env: process.env,
  make: ({ db, calls, logger, config }) => {
    const blobs = open.blobs(config.blobsUrl, { publicUrl: config.blobsPublicUrl })
    return {
      service: createStorage({ db, calls, blobs, logger, config }),
      dependencies: [{ name: 'blobs', needed: false, ping: () => blobs.ping() }],
    }
  },
})
