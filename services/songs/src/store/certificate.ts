import type { Certificate, CertifiedFile, Charge } from '@prelude/contracts'
import type { Query, Tx } from '@prelude/platform'

/** Of the row of `song` that a statement reads. */
export const CERTIFICATE_ID = `(select id from certificate where song_id = song.id and replaced_by is null)`

interface NewCertificate {
  readonly id: string
  readonly songId: string
  readonly issuedAt: number
  readonly files: readonly CertifiedFile[]
}

/** Takes the place of the song's certificate, if there is one. */
export function issueCertificate(tx: Tx, { id, songId, issuedAt, files }: NewCertificate): void {
  tx.execute('update certificate set replaced_by = $2 where song_id = $1 and replaced_by is null', [
    songId,
    id,
  ])
  tx.execute('insert into certificate (id, song_id, issued_at, files) values ($1, $2, $3, $4)', [
    id,
    songId,
    issuedAt,
    JSON.stringify(files),
  ])
}

/** With the charge of its song, which may have been erased. */
export type FoundCertificate = Omit<Certificate, 'valid' | 'reason'> & { readonly charge: Charge }

/** One from before `made` says nothing of it. */
export const CERTIFIED_FILES = `(select jsonb_agg('{"made": null}'::jsonb || value) from jsonb_array_elements(files))`

const FIND = `select certificate.id, issued_at as "issuedAt", coalesce(title, style) as title, ${CERTIFIED_FILES} as files, replaced_by as "replacedBy",
    coalesce(song.charge, erased_song.charge) as charge
  from certificate left join song on song.id = song_id left join erased_song on erased_song.id = song_id`

export async function findCertificate(db: Query, id: string): Promise<FoundCertificate | null> {
  const { rows } = await db.query<FoundCertificate>(`${FIND} where certificate.id = $1`, [id])
  return rows[0] ?? null
}

/** The oldest first. */
export async function certificatesOf(db: Query, songId: string): Promise<FoundCertificate[]> {
  const { rows } = await db.query<FoundCertificate>(
    `${FIND} where certificate.song_id = $1 order by issued_at, replaced_by is null`,
    [songId],
  )
  return rows
}
