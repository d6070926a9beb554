import { SongErased, SongFulfilled, storageApi } from '@prelude/contracts'
import {
  type BlobStore,
  type Database,
  type Logger,
  measured,
  on,
  route,
  type Service,
  type ServiceSchema,
  type ServiceCall,
} from '@prelude/platform'
import { createClaims } from './claims.ts'
import { DEFAULT_CLAIM_TTL_MS, type StorageConfig } from './config.ts'
import { eraseAudio } from './handlers/erase-audio.ts'
import { queueAnalysis } from './handlers/queue-analysis.ts'
import { analyzeVersions } from './jobs/analyze-versions.ts'
import { settleClaims } from './jobs/settle-claims.ts'
import { sweep } from './jobs/sweep.ts'
import { createPlaceAudio } from './place-audio.ts'
import { storageInvariants } from './invariants.ts'
import { storageMeasures } from './measures.ts'
import { placeUploads, registerPlacements } from './routes/place-audio.ts'
import { readWaveform } from './routes/read-waveform.ts'
import { registerUploads } from './routes/resumable-uploads.ts'
import { registerAudio } from './routes/stream-audio.ts'
import { registerZip } from './routes/stream-zip.ts'
import { createStaging } from './staging.ts'

export { contentTypeOf } from './domain/audio/format.ts'
export { deepCheck, storageInvariants, storeCheck } from './invariants.ts'

export const storageSchema: ServiceSchema = {
  name: 'storage',
  migrations: new URL('../migrations/', import.meta.url),
}

/** Owns the audio of songs: judges and places what is uploaded, streams it, and analyses it. */
export function createStorage(deps: {
  db: Database
  calls: ServiceCall
  blobs: BlobStore
  logger: Logger
  config: StorageConfig
}): Service {
  const { db, logger, config } = deps
  const measures = storageMeasures(db, config.stagingDir)
  const blobs = measured(measures.calls, 'blobs', deps.blobs, ['putFile', 'get', 'head', 'delete'])
  const staging = createStaging(config.stagingDir)
  /** Placements of an earlier process on this volume: their songs are freed as soon as we run. */
  const interrupted = new Set<string>()
  const claims = createClaims({ ...deps, blobs, staging })
  const place = createPlaceAudio({
    db,
    blobs,
    staging,
    claims,
    claimTtlMs: config.claimTtlMs ?? DEFAULT_CLAIM_TTL_MS,
  })
  return {
    ...storageSchema,
    routes: async (app) => {
      for (const token of await staging.placements()) interrupted.add(token)
      await registerPlacements(app, place, staging, (bytes) => measures.uploaded('form', bytes))
      route(app, storageApi.placeUploads, placeUploads(place, staging))
      route(app, storageApi.keep, async ({ params }) => {
        await claims.keep(params['claim'] as string)
        return {}
      })
      route(app, storageApi.discard, async ({ params }) => {
        await claims.discard(params['claim'] as string)
        return {}
      })
      registerAudio(app, { db, blobs, claims, logger })
      registerZip(app, { db, blobs, claims, logger })
      await registerUploads(app, staging.uploadsDir, (bytes) => measures.uploaded('resumable', bytes))
      route(app, storageApi.waveform, readWaveform(db))
    },
    subscribers: [on(SongFulfilled, queueAnalysis), on(SongErased, eraseAudio)],
    jobs: [
      analyzeVersions({ db, blobs, claims, staging, logger }),
      settleClaims(claims, staging, interrupted),
      sweep({ ...deps, blobs, staging }),
    ],
    invariants: storageInvariants,
    measures,
    close: async () => {
      await claims.cleared()
      await staging.close()
    },
  }
}
