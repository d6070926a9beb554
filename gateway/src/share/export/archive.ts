import { extname } from 'node:path'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { asFileName, briefText, madeFile, type Song, type Take, withLineFeeds } from '@prelude/contracts'
import { type CallReply, type Clock, type Logger, readReply, type ServiceCall } from '@prelude/platform'
import { makeZip } from 'client-zip'
import type { User } from '../../accounts/store/users.ts'
import { everyPage } from '../../api/every-page.ts'
import { statementCsv } from '../../money/statement-csv.ts'
import { audioPath } from '../../songs/audio-path.ts'
import { titleOf } from '../../songs/views.ts'
import { type CertificateDeps, drawCertificate, hasLicence } from '../draw-certificate.ts'
import { type AccountDeps, accountJson, readHead } from './account-json.ts'
import { type Missing, whatIsThere } from './what-is-there.ts'

export type ArchiveDeps = AccountDeps & CertificateDeps & { calls: ServiceCall; clock: Clock; logger: Logger }

export interface Archive {
  readonly name: string
  readonly body: Readable
}

interface Entry {
  readonly name: string
  readonly lastModified: Date
  readonly input: string | Buffer | AsyncIterable<string | Uint8Array<ArrayBuffer>>
}

/**
 * Everything of a person as a ZIP, packed while it is sent: a folder for each song with its texts, its certificate and its audio,
 * earlier takes too, then statement.csv and account.json, which names what could not be read. The audio itself, not links to it:
 * they end with the account.
 */
export async function archiveOf(deps: ArchiveDeps, user: User): Promise<Archive> {
  const at = new Date(deps.clock.now())
  // read before the answer begins, so that a service that is down causes a refusal and not half an archive
  const [head] = await Promise.all([
    readHead(deps, user, at),
    deps.songs.ofPerson({ params: { uid: user.uid } }),
    deps.payments.underWay({ params: { uid: user.uid } }),
    deps.notifier.list({ query: { uid: user.uid, limit: 1 } }),
  ])
  const zip = makeZip(entriesOf(deps, { user, head, at })) as ReadableStream
  return { name: `${fileName(deps.config.brandName)}-data-${dayOf(at)}.zip`, body: Readable.fromWeb(zip) }
}

async function* entriesOf(
  deps: ArchiveDeps,
  { user: { uid }, head, at }: { user: User; head: object; at: Date },
): AsyncGenerator<Entry> {
  const missing: Missing = { names: [], logger: deps.logger }
  const songs = everyPage((page) => deps.songs.list({ query: { uid, ...page } }))
  for await (const song of whatIsThere(missing, 'songs', songs))
    yield* whatIsThere(missing, folderOf(song), filesOf(deps, song, missing))
  const statement = whatIsThere(missing, 'statement.csv', statementCsv(deps, uid))
  yield { name: 'statement.csv', lastModified: at, input: statement }
  yield { name: 'account.json', lastModified: at, input: accountJson(deps, { uid, head, missing }) }
}

async function* filesOf(deps: ArchiveDeps, listed: Song, missing: Missing): AsyncGenerator<Entry> {
  const params = { id: listed.id }
  // the page may be as old as the download: recordings, and with them the certificate, may have been replaced since
  const song = await deps.songs.get({ params })
  const folder = folderOf(song)
  const lastModified = new Date(song.updatedAt ?? song.createdAt)
  yield { name: `${folder}/lyrics.txt`, lastModified, input: withLineFeeds(song.lyrics) }
  yield { name: `${folder}/style.txt`, lastModified, input: withLineFeeds(song.style) }
  if (song.brief) yield { name: `${folder}/brief.txt`, lastModified, input: briefText(song.brief) }
  if (song.status !== 'ready') return
  const made = madeFile(song.made)
  if (made !== undefined) yield { name: `${folder}/how-it-was-made.txt`, lastModified, input: made }
  const name = `${folder}/licence.pdf`
  if (hasLicence(song)) yield* whatIsThere(missing, name, licence(deps, song, { name, lastModified }))
  const { takes } = await deps.songs.takes({ params })
  for (const take of takes) {
    const file = { name: `${folder}/${nameOf(song, take)}`, lastModified }
    yield* whatIsThere(missing, file.name, recording(deps, song, take, { ...file, missing }))
  }
}

async function* licence(
  deps: ArchiveDeps,
  song: Song,
  file: Pick<Entry, 'name' | 'lastModified'>,
): AsyncGenerator<Entry> {
  yield { ...file, input: await drawCertificate(deps, song) }
}

/** One object is open at a time, and only while it is sent. */
async function* recording(
  deps: ArchiveDeps,
  song: Song,
  { version, path: stored }: Take,
  { name, lastModified, missing }: Pick<Entry, 'name' | 'lastModified'> & { missing: Missing },
): AsyncGenerator<Entry> {
  const path = audioPath(song, version, { path: stored, inside: '1' })
  const answer: CallReply = await deps.calls.call('storage', {
    method: 'GET',
    path,
    reads: true,
    answerIsStream: true,
  })
  if (answer.status !== 200) await readReply('storage', answer)
  try {
    yield { name, lastModified, input: whatIsThere(missing, name, answer.body) }
  } finally {
    answer.body.destroy()
  }
}

/** Storage gives each path an extension that is true. */
function nameOf(song: Song, { version, take, path }: Take): string {
  const isNewest = path === song[`storagePath${version}`]
  return `version-${version}${isNewest ? '' : `-take-${take}`}${extname(path).toLowerCase()}`
}

/** Songs of one title on one day differ by the end of their ids, which is random. */
const folderOf = (song: Song): string =>
  `songs/${dayOf(new Date(song.createdAt))} ${asFileName(titleOf(song))} ${song.id.slice(-8)}`

const dayOf = (at: Date): string => at.toISOString().slice(0, 10)

/** A brand may be any text; headers and file names allow fewer characters. */
const fileName = (brand: string): string =>
  brand
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '') || 'my'
