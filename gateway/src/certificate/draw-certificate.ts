import type { Song } from '@prelude/contracts'
import { AppError } from '@prelude/platform'
import type { RouteDeps } from '../route-deps.ts'
import { createCovers } from '../share-page/cover.ts'
import { songView, titleOf } from '../views.ts'

/** A refunded song has no licence, also where its certificate still exists. */
export const hasLicence = ({ certificate, charge }: Song): boolean =>
  certificate !== null && charge !== 'refunded'

const coverOf = createCovers()

/**
 * The certificate of a song as PDF, with the name that its owner has now. Errors: song_not_ready, song_not_charged when its credits
 * were given back.
 */
export async function drawCertificate(
  { certificates, findUser, config }: Pick<RouteDeps, 'certificates' | 'findUser' | 'config'>,
  song: Song,
): Promise<Buffer> {
  const { certificate } = songView(song, { isUnlocked: false }, config)
  if (!certificate) throw new AppError('song_not_ready')
  if (song.charge === 'refunded') throw new AppError('song_not_charged')
  const { id, url } = certificate
  const [{ issuedAt, files }, user, cover] = await Promise.all([
    certificates.get({ params: { id } }),
    findUser(song.uid),
    coverOf(song.id),
  ])
  if (!user) throw new AppError('song_not_found')
  const name = user.name ?? user.email
  // with the PDF libraries, which take 0.2 s and 30 MB
  const { certificatePdf } = await import('./certificate-pdf.ts')
  return certificatePdf({
    id,
    issuedAt,
    url,
    brand: config.brandName,
    name,
    title: titleOf(song),
    files,
    cover,
  })
}
