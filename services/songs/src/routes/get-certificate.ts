import type { Certificate, certificatesApi } from '@prelude/contracts'
import { AppError, type Database, isId, type RouteContext } from '@prelude/platform'
import { standing } from '../domain/certificate.ts'
import { findCertificate } from '../store/certificate.ts'

export const getCertificate =
  (db: Database) =>
  async ({ params: { id = '' } }: RouteContext<typeof certificatesApi.get>): Promise<Certificate> => {
    const found = isId(id) ? await findCertificate(db, id) : null
    if (!found) throw new AppError('certificate_not_found')
    const { charge, ...certificate } = found
    return { ...certificate, ...standing(certificate.replacedBy, charge) }
  }
