import { SongClosed, SongErased, storageApi, TakesChanged, TakesRefused } from '@prelude/contracts'
import {
  type Clock,
  type Database,
  type Logger,
  measured,
  on,
  route,
  type Service,
  type ServiceSchema,
  type Subscriber,
  type ServiceCall,
} from '@prelude/platform'
import { ANALYSIS_NICENESS } from './analysis/analyze-file.ts'
import { createAudioProcess } from './audio-process/audio-process.ts'
import type { StorageConfig } from './config.ts'
import { dismissRefused } from './handlers/dismiss-refused.ts'
import { eraseAudio } from './handlers/erase-audio.ts'
import { nameTakes } from './handlers/name-takes.ts'
import { removeDraftsOfClosed } from './handlers/remove-drafts.ts'
import { type Generator } from './generator/index.ts'
import { storageInvariants } from './invariants.ts'
import { analyzeVersions } from './jobs/analyze-versions.ts'
import { deleteObjects } from './jobs/delete-objects.ts'
import { makeDrafts } from './jobs/make-drafts.ts'
import { removeDrafts } from './jobs/remove-drafts.ts'
import { sweep } from './jobs/sweep.ts'
import { storageMeasures } from './measures.ts'
import { createPlaceAudio } from './place-audio.ts'
import { drafts } from './routes/drafts.ts'
import { placeForms } from './routes/place-forms.ts'
import { placeUploads } from './routes/place-uploads.ts'
import { readWaveform } from './routes/read-waveform.ts'
import { receiveUploads } from './routes/receive-uploads.ts'
import { streamAudio } from './routes/stream-audio.ts'
import { streamZip } from './routes/stream-zip.ts'
import { createStaging } from './staging.ts'
import type { BlobStore } from './blobs/index.ts'

export { type BlobStore, openBlobs } from './blobs/index.ts'
export { generatorSettings, storageProgram } from './config.ts'
export { type Generator, generatorDependencies, openGenerator } from './generator/index.ts'
export { contentTypeOf } from './domain/audio/format.ts'
export { deepCheck, storageInvariants, storeCheck } from './invariants.ts'

export const storageSchema: ServiceSchema = {
  name: 'storage',
  migrations: new URL('../migrations/', import.meta.url),
}

export const storageSubscribers = (clock: Clock): readonly Subscriber[] => [
  on(TakesChanged, nameTakes(clock)),
  on(TakesRefused, dismissRefused(clock)),
  on(SongErased, eraseAudio(clock)),
  on(SongClosed, removeDraftsOfClosed(clock)),
]

/**
 * The audio of songs: judges uploads, stores them as objects, streams and analyses them. Which object is which take of a song
 * is decided by songs alone; storage receives it as events, and its callers give the path of the object that they mean.
 *
 * An object (a row of `audio`):
 *
 *  state    │ what it means                    │ becomes named │ becomes leaving              │ the row is deleted
 * ──────────┼──────────────────────────────────┼───────────────┼──────────────────────────────┼───────────────────────
 *  (none)   │                                  │               │ sweep: an object in the store│
 *           │                                  │               │ without a row, as for placed │
 *  placed   │ judged and stored, its path was  │ TakesChanged  │ TakesRefused, SongErased; put│ –
 *           │ given to the gateway             │ lists it      │ failed; sweep: 24 h old, and │
 *           │                                  │               │ songs says: no song names it │
 *  named    │ a take of its song               │ –             │ TakesChanged does not list   │ –
 *           │                                  │               │ it any more; SongErased      │
 *  leaving  │ not streamed; being deleted      │ never         │ –                            │ its object is deleted
 *
 * A song names an object only within an hour of its placement, and a path is offered to songs once. So what leaves was
 * never a take, or is none any more: no time limit, lost answer or restart on the way changes that.
 */
export function createStorage(deps: {
  db: Database
  clock: Clock
  calls: ServiceCall
  blobs: BlobStore
  /** Makes drafts for the operator; null: nobody does. */
  generator: Generator | null
  logger: Logger
  config: StorageConfig
  /** Tests share processes: to start one takes half a second of processor time. */
  audioProcess?: typeof createAudioProcess
}): Service {
  const { db, clock, config, generator, audioProcess = createAudioProcess } = deps
  const measures = storageMeasures(db, config.stagingDir, generator)
  const blobs = measured(measures.calls, 'blobs', deps.blobs, ['putFile', 'get', 'head', 'delete'])
  const staging = createStaging(config.stagingDir)
  const own = { ...deps, blobs, staging }
  /** Two, so that an upload does not wait for an analysis. */
  const judging = audioProcess({ folder: config.stagingDir })
  const analysing = audioProcess({ folder: config.stagingDir, niceness: ANALYSIS_NICENESS })
  const place = createPlaceAudio({ ...own, judge: judging.judge })
  const making =
    generator &&
    makeDrafts({
      ...own,
      generator,
      judge: judging.judge,
      draftsAtOnce: config.draftsAtOnce,
      onEnd: measures.draftEnded,
    })
  return {
    ...storageSchema,
    routes: async (app) => {
      await staging.removeInterrupted()
      // before drafts are listed; the job tries again
      await making?.recordUse().catch(() => {})
      await app.register(placeForms(place, staging, { onBytes: measures.uploaded('form') }))
      route(app, storageApi.placeUploads, placeUploads({ ...own, place }))
      await app.register(streamAudio(own))
      await app.register(streamZip(own))
      await app.register(receiveUploads(db, staging.uploadsDir, { onBytes: measures.uploaded('resumable') }))
      await app.register(drafts({ ...own, onAsked: measures.draftsAsked }))
      route(app, storageApi.waveform, readWaveform(db))
    },
    subscribers: storageSubscribers(clock),
    jobs: [
      analyzeVersions({ ...own, analyze: analysing.analyze }),
      deleteObjects(own),
      sweep(own),
      ...(making ? [making.job] : []),
      removeDrafts(own, { draftDays: config.draftDays, hasGenerator: making !== null }),
    ],
    invariants: storageInvariants,
    measures,
    close: async () => {
      await making?.close()
      judging.close()
      analysing.close()
      await staging.close()
    },
  }
}
