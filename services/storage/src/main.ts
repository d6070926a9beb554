import { open, serveAlone } from '@prelude/platform'
import { createStorage, storageProgram } from './index.ts'

await serveAlone({
  program: storageProgram,
  env: process.env,
  make: ({ db, calls, logger, config }) => {
    const blobs = open.blobs(config.blobsUrl, { publicUrl: config.blobsPublicUrl })
    return {
      service: createStorage({ db, calls, blobs, logger, config }),
      dependencies: [{ name: 'blobs', needed: false, ping: () => blobs.ping() }],
    }
  },
})
