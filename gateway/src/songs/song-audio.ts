import { OneOf, type Song, Waveform } from '@prelude/contracts'
import { AppError, type CallReply, type Clock, type ServiceCall } from '@prelude/platform'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { callerNetwork } from '../api/caller-address.ts'
import { personOf } from '../api/caller.ts'
import type { SongsClient, StorageClient } from '../api/clients.ts'
import { Binary, type Documentation, Header } from '../api/document/documentation.ts'
import { passOn, requestHeaders } from '../api/pass-on.ts'
import { publicRoute, type PublicRoute } from '../api/public-route.ts'
import type { Sent } from '../api/sent.ts'
import { type Held, slotsUntilClosed } from '../api/slots.ts'
import type { GatewayConfig } from '../config.ts'
import { audioPath } from './audio-path.ts'
import { type VisibleDeps, visibleSong } from './songs.ts'
import { titleOf } from './views.ts'
import type { KeyValue } from '../api/key-value/port.ts'

type AudioDeps = VisibleDeps & { calls: ServiceCall; config: GatewayConfig }

const CONDITIONS = [
  'range',
  'if-range',
  'if-none-match',
  'if-match',
  'if-modified-since',
  'if-unmodified-since',
]
const AUDIO_HEADERS = [
  'accept-ranges',
  'content-range',
  'content-length',
  'content-type',
  'content-disposition',
  'etag',
  'last-modified',
  'location',
]

const RANGED = {
  'accept-ranges': Header('bytes'),
  etag: Header('strong, of the content'),
  'content-disposition': Header('with download=1: the name to save it under, of the song with as=title'),
}
export const audioDocument: Documentation = {
  head: true,
  headers: Type.Object({
    range: Type.Optional(Header('one range; several, or one that is not valid, answer the whole')),
    'if-range': Type.Optional(Header('an etag')),
    'if-none-match': Type.Optional(Header('etags')),
  }),
  answers: {
    200: { description: 'The whole.', content: { 'audio/*': Binary }, headers: RANGED },
    206: {
      description: 'The range.',
      content: { 'audio/*': Binary },
      headers: { ...RANGED, 'content-range': Header('which bytes of how many') },
    },
    302: {
      description: 'The audio lies elsewhere for a few minutes.',
      headers: { location: Header('its address, which expires') },
    },
    304: { description: 'It is the one that you have.' },
    416: {
      description: 'The range lies outside of the audio.',
      headers: { 'content-range': Header('how many bytes there are') },
    },
  },
}

export const songAudio = (deps: AudioDeps): PublicRoute =>
  publicRoute('GET /api/songs/:id/versions/:n', {
    access: 'person',
    summary:
      'The audio of version 1 or 2, with ranges and conditions; inline, or for saving; with inside=1 never from the object store itself',
    ofOthers: ({ download }) => (download === '1' ? 'download-song' : 'play-song'),
    refusals: ['too_many_requests', 'song_not_found'],
    query: Type.Object({
      download: Type.Optional(OneOf('1', '0')),
      as: Type.Optional(OneOf('title')),
      inside: Type.Optional(OneOf('1')),
      take: Take,
    }),
    document: audioDocument,
    handle: async ({ request, reply, params, query }) => {
      await holdAudioOfPerson(deps, request, reply)
      const song = await visibleSong(deps, request, params['id'])
      const n = readyVersion(song, params['n'])
      const path = await pathOfTake(deps, song, n, query.take)
      const name = { download: '1', ...(query.as === 'title' && { title: titleOf(song) }) }
      const answer = await readAudio(
        deps,
        request,
        audioPath(song, n, {
          path,
          ...(query.download === '1' && name),
          ...(query.inside === '1' && { inside: '1' }),
        }),
      )
      return sendAudio(reply, answer)
    },
  })

const AUDIO_OF_PERSON = { name: 'audio', most: 12 }
const AUDIO_OF_ADDRESS = { name: 'audio-address', most: 60 }

/** Counts an audio answer until it has ended; a browser that pauses keeps its own open. Errors: too_many_requests. */
export async function holdAudio(
  deps: { clock: Clock; kv: KeyValue },
  { method }: FastifyRequest,
  reply: FastifyReply,
  slots: Held,
): Promise<void> {
  if (method === 'GET') await slotsUntilClosed(deps, slots, reply)
}

export const holdAudioOfPerson = (
  deps: { clock: Clock; config: GatewayConfig; kv: KeyValue },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> =>
  holdAudio(deps, request, reply, [
    [AUDIO_OF_PERSON, personOf(request).uid],
    [AUDIO_OF_ADDRESS, callerNetwork(request, deps.config)],
  ])

/** Storage evaluates ranges and conditions. */
export const readAudio = (
  { calls }: { calls: ServiceCall },
  request: FastifyRequest,
  path: string,
): Promise<CallReply> =>
  calls.call('storage', {
    method: request.method,
    path,
    headers: requestHeaders(request, CONDITIONS),
    reads: true,
    answerIsStream: true,
  })

export function sendAudio(reply: FastifyReply, answer: CallReply): Promise<Sent> {
  // a signed address in a cache would outlive the session
  void reply.header('cache-control', answer.status === 302 ? 'private, no-store' : 'private, no-cache')
  return passOn(reply, answer, AUDIO_HEADERS)
}

export const songWaveform = (deps: VisibleDeps & { storage: StorageClient }): PublicRoute =>
  publicRoute('GET /api/songs/:id/versions/:n/waveform', {
    access: 'person',
    summary: 'Duration, peaks and loudness of a version',
    ofOthers: 'read-song',
    refusals: ['song_not_found', 'waveform_not_ready'],
    query: Type.Object({ take: Take }),
    lenient: 'waveform_not_ready',
    reply: Waveform,
    handle: async ({ request, params, query }) => {
      const song = await visibleSong(deps, request, params['id'])
      const n = versionOf(params['n'])
      if (song.status !== 'ready') throw new AppError('waveform_not_ready')
      const path = await pathOfTake(deps, song, n, query.take)
      return deps.storage.waveform({ query: { path } })
    },
  })

const Take = Type.Optional(
  Type.String({ description: 'the number of an earlier take; the newest if not given' }),
)

/** Of the newest take, or of an earlier one. Errors: song_not_found for a take that is not there. */
async function pathOfTake(
  { songs }: { songs: SongsClient },
  song: Song,
  n: 1 | 2,
  take: string | undefined,
): Promise<string> {
  const newest = song[`storagePath${n}`]
  if (take === undefined && newest) return newest
  const { takes } = await songs.takes({ params: { id: song.id } })
  const found = takes.find((one) => one.version === n && String(one.take) === take)
  if (!found) throw new AppError('song_not_found')
  return found.path
}

function readyVersion(song: Song, n: string | undefined): 1 | 2 {
  const version = versionOf(n)
  if (song.status !== 'ready' || !song[`downloadUrl${version}`]) throw new AppError('song_not_found')
  return version
}

function versionOf(n: string | undefined): 1 | 2 {
  if (n === '1') return 1
  if (n === '2') return 2
  throw new AppError('song_not_found')
}
