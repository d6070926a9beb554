import { serveAlone, systemClock } from '@prelude/platform'
import { checkCors } from './cors.ts'
import { createStorage, generatorDependencies, openGenerator, storageProgram } from './index.ts'
import { openBlobs } from './blobs/index.ts'

await serveAlone({
  program: storageProgram,
  env: process.env,
  clock: systemClock,
  make: ({ db, calls, clock, logger, config }) => {
    const generator = openGenerator(config)
    const blobs = openBlobs(config.blobsUrl, { publicUrl: config.blobsPublicUrl })
    if (config.publicUrl !== undefined) void checkCors(blobs, config.publicUrl, logger)
    return {
      service: createStorage({ db, clock, calls, blobs, generator, logger, config }),
      dependencies: [
        { name: 'blobs', needed: false, ping: () => blobs.ping() },
        ...generatorDependencies(generator),
      ],
    }
  },
})
