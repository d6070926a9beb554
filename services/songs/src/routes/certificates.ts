import type { Certificate, certificatesApi } from '@prelude/contracts'
import { AppError, type Database, isId, type RouteHandler } from '@prelude/platform'
import { standing } from '../domain/certificate.ts'
import { certificatesOf, findCertificate, type FoundCertificate } from '../store/certificate.ts'
import { songIdOf } from './present.ts'

export const getCertificate =
  (db: Database): RouteHandler<typeof certificatesApi.get> =>
  async ({ params: { id = '' } }) => {
    const found = isId(id) ? await findCertificate(db, id) : null
    if (!found) throw new AppError('certificate_not_found')
    return certificateView(found)
  }

export const listCertificates =
  (db: Database): RouteHandler<typeof certificatesApi.ofSong> =>
  async ({ params }) => ({
    items: (await certificatesOf(db, songIdOf(params))).map(certificateView),
  })

const certificateView = ({ charge, ...certificate }: FoundCertificate): Certificate => ({
  ...certificate,
  ...standing(certificate.replacedBy, charge),
})
