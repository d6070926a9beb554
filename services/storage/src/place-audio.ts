import { randomBytes } from 'node:crypto'
import type { Made, Placed } from '@prelude/contracts'
import { AppError, type Clock, type Database, isCode, type Logger, newId } from '@prelude/platform'
import type { AudioProcess, JudgedAudio } from './audio-process/audio-process.ts'
import { DELETE_AGAIN_MS, deleteObject } from './delete-object.ts'
import { markedName, objectPath, originalName, safeName } from './domain/file-name.ts'
import type { StagedFile, Staging } from './staging.ts'
import { dismissPlaced, insertPlaced, type NewAudio } from './store/audio.ts'
import type { BlobStore } from './blobs/index.ts'

const PATH_TRIES = 5
const PUT_WITHIN_MS = 90_000
/** For a put to end after it was aborted. */
const PUT_ENDS_MS = 1_000

interface StagedVersion {
  readonly version: 1 | 2
  readonly file: StagedFile
  readonly made: Made | null
  /** The draft that the file is a copy of. */
  readonly draftId?: string | undefined
}

interface Placement {
  readonly songId: string
  /** Brings the files into the folder. */
  readonly stage: (folder: string) => Promise<readonly StagedVersion[]>
}

export type PlaceAudio = (placement: Placement) => Promise<Placed>

interface Deps {
  readonly db: Database
  readonly clock: Clock
  readonly blobs: BlobStore
  readonly staging: Staging
  readonly logger: Logger
  readonly judge: AudioProcess['judge']
}

/**
 * Stages, judges and stores the files of one or both versions. All or nothing: when a step fails, the staged files and the
 * objects are deleted, whose paths no caller has received. One placement a song at a time in this process; that spares an
 * operator an upload in vain, and which of two takes a song gets, songs decides.
 * Errors: fulfilment_in_progress, what `stage` throws, not_audio, upload_failed.
 */
export function createPlaceAudio(deps: Deps): PlaceAudio {
  const { staging, judge } = deps
  const placing = new Set<string>()
  return async ({ songId, stage }) => {
    if (placing.has(songId)) throw new AppError('fulfilment_in_progress')
    placing.add(songId)
    const id = newId()
    try {
      const files = await stage(await staging.openFolder(id))
      const judged = await judgeAll(judge, files)
      return {
        objects: await store(
          deps,
          files.map((file, i) => asObject(songId, file, judged[i] as JudgedAudio)),
        ),
        versions: files.map(({ version }) => version),
      }
    } catch (error) {
      throw error instanceof AppError ? error : new AppError('upload_failed', { cause: error })
    } finally {
      placing.delete(songId)
      await staging.removeFolder(id)
    }
  }
}

/** Errors: not_audio, which names the versions that are none. */
async function judgeAll(judge: Deps['judge'], files: readonly StagedVersion[]): Promise<JudgedAudio[]> {
  const verdicts = await Promise.allSettled(files.map(({ file }) => judge(file.file)))
  const failed = verdicts.find(({ status }) => status === 'rejected')
  if (failed?.status !== 'rejected')
    return verdicts.flatMap((verdict) => (verdict.status === 'fulfilled' ? [verdict.value] : []))
  if (!isCode(failed.reason, 'not_audio')) throw failed.reason
  const errors = verdicts.flatMap((verdict, i) =>
    verdict.status === 'rejected' && isCode(verdict.reason, 'not_audio')
      ? [{ path: `version${files[i]?.version}`, message: verdict.reason.detail }]
      : [],
  )
  const detail = [...new Set(errors.map(({ message }) => message))].join(' ')
  throw new AppError('not_audio', { detail, errors, cause: failed.reason })
}

/** What is recorded of an object, and the file that it is made of. */
interface NewObject {
  readonly audio: NewAudio
  readonly staged: StagedFile
  readonly contentType: string
  readonly made: Made | null
}

/** Records the objects and puts them into the object store; when one fails all go. */
async function store(deps: Deps, given: readonly NewObject[]): Promise<Placed['objects']> {
  const { db, clock } = deps
  const placedAt = await clock.databaseNow(db)
  const objects = await reserve(given, (audios) => insertPlaced(db, audios, placedAt))
  const ids = objects.map(({ audio }) => audio.id)
  const over = new AbortController()
  const late = clock.wait(PUT_WITHIN_MS, over.signal)
  const puts = putAll(deps, objects, late)
  // even if the object store ignores the signal
  const isOver = await Promise.race([
    Promise.allSettled(puts).then(() => true),
    clock.wait(PUT_WITHIN_MS + PUT_ENDS_MS, over.signal).then(() => false),
  ])
  over.abort()
  try {
    if (!isOver) throw new Error('the object store does not end a put')
    await Promise.all(puts)
  } catch (error) {
    await discard(deps, ids, isOver)
    throw error
  }
  return objects.map(({ audio: { id, path, sizeBytes, sha256, durationMs }, contentType, made }) => ({
    id,
    path,
    contentType,
    sizeBytes,
    sha256,
    durationMs,
    placedAt,
    made,
  }))
}

/** The first failure, and the end of the time (`late`), aborts the others. */
function putAll({ blobs }: Deps, objects: readonly NewObject[], late: Promise<void>): Promise<void>[] {
  const failed = new AbortController()
  const { signal } = failed
  void late.then(() => failed.abort(new Error('the object store takes too long')))
  return objects.map(({ audio: { path, sizeBytes }, staged, contentType }) =>
    staged.onDisk
      .then(() => blobs.putFile(path, staged.file, { sizeBytes, contentType, signal }))
      .catch((error: unknown) => {
        failed.abort(error)
        throw error
      }),
  )
}

/** Never rejects: jobs delete the objects that remain. A path stays taken while something may still be put there. */
async function discard(deps: Deps, ids: readonly string[], isOver: boolean): Promise<void> {
  try {
    const deleteAfter = (await deps.clock.databaseNow(deps.db)) + DELETE_AGAIN_MS
    const dismissed = await dismissPlaced(deps.db, ids, deleteAfter)
    if (isOver) await Promise.all(dismissed.map((path) => deleteObject(deps, path)))
  } catch (error) {
    deps.logger.warn({ ids, err: error }, 'the objects of a failed placement stay until the sweep')
  }
}

function asObject(
  songId: string,
  { version, file: staged, made, draftId }: StagedVersion,
  judged: JudgedAudio,
): NewObject {
  const name = originalName(staged.givenName)
  const audio: NewAudio = {
    id: newId(),
    path: objectPath(songId, version, safeName(name, judged.format)),
    songId,
    version,
    originalName: name,
    format: judged.format.name,
    sizeBytes: staged.sizeBytes,
    sha256: staged.sha256,
    durationMs: judged.durationMs,
    bitrate: judged.bitrate,
    channels: judged.channels,
    draftId: draftId ?? null,
  }
  return { audio, staged, contentType: judged.format.contentType, made }
}

/** A path that another object has (the version served now, say) gets a random suffix. */
async function reserve(
  objects: readonly NewObject[],
  insert: (audios: readonly NewAudio[]) => Promise<ReadonlySet<string>>,
): Promise<NewObject[]> {
  const reserved = new Map<number, NewObject>()
  let candidates = objects
  for (let i = 0; i <= PATH_TRIES; i++) {
    const inserted = await insert(candidates.map(({ audio }) => audio))
    for (const one of candidates) if (inserted.has(one.audio.path)) reserved.set(one.audio.version, one)
    const without = objects.filter(({ audio }) => !reserved.has(audio.version))
    if (without.length === 0) return objects.map(({ audio }) => reserved.get(audio.version) as NewObject)
    candidates = without.map((one) => ({ ...one, audio: marked(one.audio) }))
  }
  throw new Error(`no free path beside ${candidates[0]?.audio.path}`)
}

function marked(audio: NewAudio): NewAudio {
  const name = audio.path.slice(objectPath(audio.songId, audio.version, '').length)
  const mark = randomBytes(3).toString('hex')
  return { ...audio, path: objectPath(audio.songId, audio.version, markedName(name, mark)) }
}
