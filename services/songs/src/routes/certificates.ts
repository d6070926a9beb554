import type { Certificate, certificatesApi, ReplyOf } from '@prelude/contracts'
import { AppError, type Database, isId, type RouteContext } from '@prelude/platform'
import { standing } from '../domain/certificate.ts'
import { certificatesOf, findCertificate, type FoundCertificate } from '../store/certificate.ts'
import { songIdOf } from './present.ts'

export const getCertificate =
  (db: Database) =>
  async ({ params: { id = '' } }: RouteContext<typeof certificatesApi.get>): Promise<Certificate> => {
    const found = isId(id) ? await findCertificate(db, id) : null
    if (!found) throw new AppError('certificate_not_found')
    return certificateView(found)
  }

export const listCertificates =
  (db: Database) =>
  async ({
    params,
  }: RouteContext<typeof certificatesApi.ofSong>): Promise<ReplyOf<typeof certificatesApi.ofSong>> => ({
    items: (await certificatesOf(db, songIdOf(params))).map(certificateView),
  })

const certificateView = ({ charge, ...certificate }: FoundCertificate): Certificate => ({
  ...certificate,
  ...standing(certificate.replacedBy, charge),
})
