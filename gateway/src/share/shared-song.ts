import { nameOf, OneOf, type ReplyOf, SharedSong, type sharesApi, Waveform } from '@prelude/contracts'
import { AppError, type CallReply, type Clock, type ServiceCall } from '@prelude/platform'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { FindUser } from '../accounts/store/users.ts'
import { callerNetwork } from '../api/caller-address.ts'
import type { SharesClient, StorageClient } from '../api/clients.ts'
import { publicRoute, type PublicRoute } from '../api/public-route.ts'
import type { GatewayConfig } from '../config.ts'
import { audioPath } from '../songs/audio-path.ts'
import { audioDocument, holdAudio, readAudio, sendAudio } from '../songs/song-audio.ts'
import { titleOf } from '../songs/views.ts'
import { createPlays } from './plays.ts'
import type { KeyValue } from '../api/key-value/port.ts'

type OpenDeps = { findUser: FindUser; shares: SharesClient }
type AudioDeps = OpenDeps & { calls: ServiceCall; clock: Clock; config: GatewayConfig; kv: KeyValue }

/**
 * What a link shows to anyone. Its token stands where other paths have an id. Each call looks it up, so that a link that is
 * ended is dead at once; nothing here is kept by caches without asking.
 */

const AUDIO_OF_LINKS = { name: 'audio-links', most: 20 }
const refusals = ['share_not_found', 'share_ended'] as const

export const sharedSong = (deps: OpenDeps): PublicRoute =>
  publicRoute('GET /api/shares/:id', {
    access: 'anyone',
    summary: 'The song of a link, by its token',
    limit: 'shared',
    refusals,
    reply: SharedSong,
    handle: ({ params }) => openSharedSong(deps, params['id']).then(({ view }) => view),
  })

export const sharedAudio = (deps: AudioDeps): PublicRoute => {
  const plays = createPlays(deps)
  return publicRoute('GET /api/shares/:id/versions/:n', {
    access: 'anyone',
    summary: 'The audio of a link, with ranges and conditions; for saving where its owner allows that',
    refusals: ['too_many_requests', ...refusals, 'download_not_allowed'],
    query: Type.Object({ download: Type.Optional(OneOf('1', '0')) }),
    document: audioDocument,
    handle: async ({ request, reply, params, query }) => {
      await holdAudio(deps, request, reply, [[AUDIO_OF_LINKS, callerNetwork(request, deps.config)]])
      const { share, song } = await openSharedSong(deps, params['id'])
      const n = sharedVersion(share.versions, params['n'])
      const isSaved = query.download === '1'
      if (isSaved && !share.download) throw new AppError('download_not_allowed')
      const path = song[`storagePath${n}`] ?? ''
      const name = { download: '1', title: titleOf(song) }
      // through here also where the object store has public addresses, which would outlive the link
      const from = audioPath(song, n, { path, inside: '1', ...(isSaved && name) })
      const answer = await readAudio(deps, request, from)
      if (request.method === 'GET' && isBeginning(request, answer)) plays.note(request, share.id)
      return sendAudio(reply, answer)
    },
  })
}

export const sharedWaveform = (deps: OpenDeps & { storage: StorageClient }): PublicRoute =>
  publicRoute('GET /api/shares/:id/versions/:n/waveform', {
    access: 'anyone',
    summary: 'Duration, peaks and loudness of a version of a link',
    limit: 'shared',
    refusals: [...refusals, 'waveform_not_ready'],
    lenient: 'waveform_not_ready',
    reply: Waveform,
    handle: async ({ params }) => {
      const { share, song } = await openSharedSong(deps, params['id'])
      const path = song[`storagePath${sharedVersion(share.versions, params['n'])}`] ?? ''
      return deps.storage.waveform({ query: { path } })
    },
  })

export type OpenShare = ReplyOf<typeof sharesApi.open> & { readonly view: SharedSong }

/** Errors: share_not_found, share_ended, also when the account is being closed. */
export async function openSharedSong(
  { shares, findUser }: OpenDeps,
  token: string | undefined,
): Promise<OpenShare> {
  if (!token || !/^[\w-]{22}$/.test(token)) throw new AppError('share_not_found')
  const open = await shares.open({ body: { token } })
  const { share, song, durationsMs } = open
  const owner = await findUser(song.uid)
  if (!owner) throw new AppError('share_ended')
  const view = {
    title: titleOf(song),
    artist: nameOf(owner),
    versions: ([1, 2] as const)
      .filter((n) => share.versions.includes(n))
      .map((n) => ({ n, durationMs: durationsMs[n], made: song.made?.[n] ?? null })),
    lyrics: share.lyrics ? song.lyrics : null,
    download: share.download,
    expiresAt: share.expiresAt,
    updatedAt: song.updatedAt ?? 0,
  }
  return { ...open, view }
}

/** Errors: share_not_found for a version that is not shared. */
function sharedVersion(versions: readonly (1 | 2)[], asked: string | undefined): 1 | 2 {
  const n = versions.find((one) => String(one) === asked)
  if (n === undefined) throw new AppError('share_not_found')
  return n
}

/** A browser that has the file already is answered 304. */
const isBeginning = ({ headers: asked }: FastifyRequest, { status, headers }: CallReply): boolean =>
  status === 200 ||
  (status === 206 && String(headers['content-range']).startsWith('bytes 0-')) ||
  (status === 304 && (asked.range ?? 'bytes=0-').startsWith('bytes=0-'))
