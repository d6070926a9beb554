import { Certificate } from '@prelude/contracts'
import { AppError, isId } from '@prelude/platform'
import { personOf } from '../api/caller.ts'
import type { SongsClient } from '../api/clients.ts'
import { Binary } from '../api/document/documentation.ts'
import { publicRoute, type PublicRoute } from '../api/public-route.ts'
import { SENT } from '../api/sent.ts'
import { ownSong } from '../songs/own-song.ts'
import { type CertificateDeps, drawCertificate } from './draw-certificate.ts'

type Deps = CertificateDeps & { songs: SongsClient }

export const getCertificate = ({ certificates }: Deps): PublicRoute =>
  publicRoute('GET /api/certificates/:id', {
    access: 'anyone',
    summary: 'What a certificate is about, and whether it holds',
    limit: 'shared',
    refusals: ['certificate_not_found'],
    reply: Certificate,
    handle: async ({ params: { id = '' } }) => {
      if (!isId(id)) throw new AppError('certificate_not_found')
      return certificates.get({ params: { id } })
    },
  })

export const downloadCertificate = (deps: Deps): PublicRoute =>
  publicRoute('GET /api/songs/:id/certificate.pdf', {
    access: 'person',
    summary: 'The certificate of the newest takes, to print',
    limit: 'drawn',
    refusals: ['song_not_found', 'song_not_ready', 'song_not_charged'],
    document: {
      answers: { 200: { description: 'One page.', content: { 'application/pdf': Binary } } },
    },
    handle: async ({ request, reply, params }) => {
      const song = await ownSong(deps, personOf(request), params['id'])
      const pdf = await drawCertificate(deps, song)
      void reply
        .header('cache-control', 'private, no-store')
        .header('content-disposition', 'inline; filename="licence.pdf"')
        .type('application/pdf')
        .send(pdf)
      return SENT
    },
  })
