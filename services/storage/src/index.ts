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
import { ANALYSIS_NICENESS } from './analysis/analyze-file.ts'
import { createAudioProcess } from './audio-process/audio-process.ts'
import { createClaims } from './claims.ts'
import { DEFAULT_CLAIM_TTL_MS, type StorageConfig } from './config.ts'
import { eraseAudio } from './handlers/erase-audio.ts'
import { queueAnalysis } from './handlers/queue-analysis.ts'
import { storageInvariants } from './invariants.ts'
import { analyzeVersions } from './jobs/analyze-versions.ts'
import { settleClaims } from './jobs/settle-claims.ts'
import { sweep } from './jobs/sweep.ts'
import { storageMeasures } from './measures.ts'
import { createPlaceAudio } from './place-audio.ts'
import { discardClaim } from './routes/discard-claim.ts'
import { keepClaim } from './routes/keep-claim.ts'
import { placeForms } from './routes/place-forms.ts'
import { placeUploads } from './routes/place-uploads.ts'
import { readWaveform } from './routes/read-waveform.ts'
import { receiveUploads } from './routes/receive-uploads.ts'
import { streamAudio } from './routes/stream-audio.ts'
import { streamZip } from './routes/stream-zip.ts'
import { createStaging } from './staging.ts'

export { storageSettings } from './config.ts'
export { contentTypeOf } from './domain/audio/format.ts'
export { deepCheck, storageInvariants, storeCheck } from './invariants.ts'

export const storageSchema: ServiceSchema = {
  name: 'storage',
  migrations: new URL('../migrations/', import.meta.url),
}

/** The audio of songs: judges and places uploads, streams them, and analyses them. */
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
  /** Placements that an earlier process on this volume did not finish: the first round of settle-claims ends them. */
  const interrupted = new Set<string>()
  const claims = createClaims({ ...deps, blobs, staging })
  /** Two, so that an upload does not wait for an analysis. */
  const judging = createAudioProcess()
  const analysing = createAudioProcess({ niceness: ANALYSIS_NICENESS })
  const place = createPlaceAudio({
    db,
    blobs,
    staging,
    claims,
    judge: judging.judge,
    claimTtlMs: config.claimTtlMs ?? DEFAULT_CLAIM_TTL_MS,
  })
  return {
    ...storageSchema,
    routes: async (app) => {
      for (const token of await staging.placements()) interrupted.add(token) // before any is begun
      await app.register(placeForms(place, staging, (bytes) => measures.uploaded('form', bytes)))
      route(app, storageApi.placeUploads, placeUploads(place, staging))
      route(app, storageApi.keep, keepClaim(claims))
      route(app, storageApi.discard, discardClaim(claims))
      await app.register(streamAudio({ db, blobs, claims, logger }))
      await app.register(streamZip({ db, blobs, claims, logger }))
      await app.register(receiveUploads(staging.uploadsDir, (bytes) => measures.uploaded('resumable', bytes)))
      route(app, storageApi.waveform, readWaveform(db))
    },
    subscribers: [on(SongFulfilled, queueAnalysis), on(SongErased, eraseAudio)],
    jobs: [
      analyzeVersions({ db, blobs, claims, staging, logger, analyze: analysing.analyze }),
      settleClaims(claims, staging, interrupted),
      sweep({ ...deps, blobs, staging }),
    ],
    invariants: storageInvariants,
    measures,
    close: async () => {
      judging.close()
      analysing.close()
      await claims.cleared()
      await staging.close()
    },
  }
}
