import { briefText, madeFile, withLineFeeds } from '@prelude/contracts'
import { AppError, type ServiceCall } from '@prelude/platform'
import { Binary, Header } from '../api/document/documentation.ts'
import { passOn } from '../api/pass-on.ts'
import { publicRoute, type PublicRoute } from '../api/public-route.ts'
import { type VisibleDeps, visibleSong } from '../songs/songs.ts'
import { titleOf } from '../songs/views.ts'
import { type CertificateDeps, drawCertificate, hasLicence } from './draw-certificate.ts'

export const downloadSong = (deps: CertificateDeps & VisibleDeps & { calls: ServiceCall }): PublicRoute =>
  publicRoute('GET /api/songs/:id/download', {
    access: 'person',
    summary: 'A ZIP of both versions, lyrics, style, brief, how they were made and certificate',
    ofOthers: 'download-song',
    limit: 'drawn',
    refusals: ['song_not_found'],
    head: false,
    document: {
      answers: {
        200: {
          description: 'The archive.',
          content: { 'application/zip': Binary },
          headers: { 'content-disposition': Header('its name') },
        },
      },
    },
    handle: async ({ request, reply, params }) => {
      const song = await visibleSong(deps, request, params['id'])
      if (song.status !== 'ready') throw new AppError('song_not_found')
      const certificate = hasLicence(song) ? await drawCertificate(deps, song) : null
      const answer = await deps.calls.call('storage', {
        method: 'POST',
        path: '/zip',
        reads: true,
        answerIsStream: true,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          songId: song.id,
          paths: [song.storagePath1, song.storagePath2],
          lyrics: withLineFeeds(song.lyrics),
          style: withLineFeeds(song.style),
          title: titleOf(song),
          ...(song.brief && { brief: briefText(song.brief) }),
          made: madeFile(song.made),
          ...(certificate && { certificate: certificate.toString('base64') }),
        }),
      })
      void reply.header('cache-control', 'private, no-store')
      return passOn(reply, answer, ['content-type', 'content-length', 'content-disposition'])
    },
  })
