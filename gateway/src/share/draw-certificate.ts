import type { Song } from '@prelude/contracts'
import { AppError } from '@prelude/platform'
import type { FindUser } from '../accounts/store/users.ts'
import type { CertificatesClient } from '../api/clients.ts'
import type { GatewayConfig } from '../config.ts'
import { songView, titleOf } from '../songs/views.ts'
import type { Drawings } from './drawing/drawings.ts'

export type CertificateDeps = {
  certificates: CertificatesClient
  config: GatewayConfig
  drawings: Drawings
  findUser: FindUser
}

/** A refunded song has no licence, also where its certificate still exists. */
export const hasLicence = ({ certificate, charge }: Song): boolean =>
  certificate !== null && charge !== 'refunded'

/**
 * The certificate of a song as PDF, with the name that its owner has now. Errors: song_not_ready, song_not_charged when its credits
 * were given back.
 */
export async function drawCertificate(
  { certificates, drawings, findUser, config }: CertificateDeps,
  song: Song,
): Promise<Buffer> {
  const { certificate } = songView(song, { isUnlocked: false }, config)
  if (!certificate) throw new AppError('song_not_ready')
  if (song.charge === 'refunded') throw new AppError('song_not_charged')
  const { id, url } = certificate
  const [{ issuedAt, files }, user] = await Promise.all([
    certificates.get({ params: { id } }),
    findUser(song.uid),
  ])
  if (!user) throw new AppError('song_not_found')
  return drawings.certificate({
    id,
    issuedAt,
    url,
    brand: config.brandName,
    name: user.name ?? `Account ${user.uid}`,
    title: titleOf(song),
    files,
    songId: song.id,
  })
}
