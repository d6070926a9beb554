import { OneOf, type Song, Waveform } from '@prelude/contracts'
import { AppError } from '@prelude/platform'
import { Type } from 'typebox'
import { passOn, requestHeaders } from '../pass-on.ts'
import type { Parts } from '../parts.ts'
import { personOf } from '../plugins/access.ts'
import { type PublicRoute, publicRoute } from '../public-route.ts'
import { visibleSong } from './songs.ts'

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

export const songAudio = (parts: Parts): PublicRoute =>
  publicRoute({
    method: 'GET',
    url: '/api/songs/:id/versions/:n',
    access: 'person',
    area: 'Songs',
    summary: 'The audio of version 1 or 2, with ranges and conditions; inline, or for saving',
    refusals: ['song_not_found'],
    query: Type.Object({ download: Type.Optional(OneOf('1', '0')) }),
    handle: async ({ request, reply, params, query }) => {
      const song = await visibleSong(parts, personOf(request), params['id'])
      const n = readyVersion(song, params['n'])
      const answer = await parts.calls.call('storage', {
        method: request.method,
        path: `/songs/${song.id}/versions/${n}/audio${query.download === '1' ? '?download=1' : ''}`,
        headers: requestHeaders(request, CONDITIONS),
      })
      void reply.header('cache-control', 'private, no-cache')
      return passOn('storage', reply, answer, AUDIO_HEADERS)
    },
  })

export const songWaveform = (parts: Parts): PublicRoute =>
  publicRoute({
    method: 'GET',
    url: '/api/songs/:id/versions/:n/waveform',
    access: 'person',
    area: 'Songs',
    summary: 'Duration, peaks and loudness of a version',
    refusals: ['song_not_found', 'waveform_not_ready'],
    reply: Waveform,
    handle: async ({ request, params }) => {
      const song = await visibleSong(parts, personOf(request), params['id'])
      const n = versionOf(params['n'])
      if (song.status !== 'ready') throw new AppError('waveform_not_ready')
      return parts.storage.waveform({ params: { songId: song.id, n } })
    },
  })

export const downloadSong = (parts: Parts): PublicRoute =>
  publicRoute({
    method: 'GET',
    url: '/api/songs/:id/download',
    access: 'person',
    area: 'Songs',
    summary: 'A ZIP of both versions, lyrics and style',
    refusals: ['song_not_found'],
    head: false,
    handle: async ({ request, reply, params }) => {
      const song = await visibleSong(parts, personOf(request), params['id'])
      if (song.status !== 'ready') throw new AppError('song_not_found')
      const answer = await parts.calls.call('storage', {
        method: 'POST',
        path: `/songs/${song.id}/zip`,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ lyrics: song.lyrics, style: song.style }),
      })
      void reply.header('cache-control', 'private, no-store')
      return passOn('storage', reply, answer, ['content-type', 'content-length', 'content-disposition'])
    },
  })

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
