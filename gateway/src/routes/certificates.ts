import { Certificate } from '@prelude/contracts'
import { AppError, isId } from '@prelude/platform'
import { drawCertificate } from '../certificate/draw-certificate.ts'
import { Binary } from '../document/documentation.ts'
import { personOf } from '../plugins/access.ts'
import { type PublicRoute, publicRoute } from '../public-route.ts'
import type { RouteDeps } from '../route-deps.ts'
import { SENT } from '../sent.ts'
import { withSlot } from '../slots.ts'
import { ownSong } from './own-song.ts'

const area = 'Licences'

export const getCertificate = ({ certificates }: RouteDeps): PublicRoute =>
  publicRoute({
    method: 'GET',
    url: '/api/certificates/:id',
    access: 'anyone',
    area,
    summary: 'What a certificate is about, and whether it holds',
    limit: 'shared',
    refusals: ['certificate_not_found'],
    reply: Certificate,
    handle: async ({ params: { id = '' } }) => {
      if (!isId(id)) throw new AppError('certificate_not_found')
      return certificates.get({ params: { id } })
    },
  })

/** Drawing a page costs more than reading a song: at most four at once for one person. */
const PAGES = { name: 'certificate', most: 4 }

export const downloadCertificate = (deps: RouteDeps): PublicRoute =>
  publicRoute({
    method: 'GET',
    url: '/api/songs/:id/certificate.pdf',
    access: 'person',
    area,
    summary: 'The certificate of the newest takes, to print',
    refusals: ['too_many_requests', 'song_not_found', 'song_not_ready', 'song_not_charged'],
    document: {
      answers: { 200: { description: 'One page.', content: { 'application/pdf': Binary } } },
    },
    handle: async ({ request, reply, params }) => {
      const song = await ownSong(deps, personOf(request), params['id'])
      const draw = () => drawCertificate(deps, song)
      const pdf = await (deps.config.rateLimits ? withSlot(deps.kv, PAGES, song.uid, draw) : draw())
      void reply
        .header('cache-control', 'private, no-store')
        .header('content-disposition', 'inline; filename="licence.pdf"')
        .type('application/pdf')
        .send(pdf)
      return SENT
    },
  })
