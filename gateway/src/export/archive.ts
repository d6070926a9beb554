import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { asFileName, briefText, type Song } from '@prelude/contracts'
import { type CallReply, readReply } from '@prelude/platform'
import { makeZip } from 'client-zip'
import { audioPath } from '../audio-path.ts'
import { drawCertificate, hasLicence } from '../draw-certificate.ts'
import type { RouteDeps } from '../route-deps.ts'
import { statementCsv } from '../statement-csv.ts'
import type { User } from '../store/users.ts'
import { titleOf } from '../views.ts'
import { accountJson } from './account-json.ts'
import { everyPage } from './every-page.ts'

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
 * Everything of a person as a ZIP, packed while it is sent: account.json, statement.csv, and a folder for each song with its
 * texts, its certificate and its audio, earlier takes too. The audio itself, not links to it: they end with the account.
 */
export async function archiveOf(deps: RouteDeps, user: User): Promise<Archive> {
  const at = new Date(deps.clock.now())
  // read before the answer begins, so that a service that is down causes a refusal and not half a file
  await Promise.all([
    deps.credits.account({ params: { uid: user.uid } }),
    deps.songs.ofPerson({ params: { uid: user.uid } }),
    deps.payments.underWay({ params: { uid: user.uid } }),
    deps.notifier.list({ query: { uid: user.uid, limit: 1 } }),
  ])
  const zip = makeZip(entriesOf(deps, user, at)) as ReadableStream
  return { name: `${fileName(deps.config.brandName)}-data-${dayOf(at)}.zip`, body: Readable.fromWeb(zip) }
}

async function* entriesOf(deps: RouteDeps, user: User, at: Date): AsyncGenerator<Entry> {
  yield { name: 'account.json', lastModified: at, input: accountJson(deps, user, at) }
  yield { name: 'statement.csv', lastModified: at, input: statementCsv(deps, user.uid) }
  for await (const { id } of everyPage((page) => deps.songs.list({ query: { uid: user.uid, ...page } }))) {
    // the page may be as old as the download: recordings, and with them the certificate, may have been replaced since
    const song = await deps.songs.get({ params: { id } })
    const licence = hasLicence(song) ? await drawCertificate(deps, song) : null
    const lastModified = new Date(song.updatedAt ?? song.createdAt)
    const folder = `songs/${dayOf(new Date(song.createdAt))} ${asFileName(titleOf(song))} ${shortIdOf(song)}`
    yield { name: `${folder}/lyrics.txt`, lastModified, input: song.lyrics }
    yield { name: `${folder}/style.txt`, lastModified, input: song.style }
    if (song.brief) yield { name: `${folder}/brief.txt`, lastModified, input: briefText(song.brief) }
    if (licence) yield { name: `${folder}/licence.pdf`, lastModified, input: licence }
    if (song.status === 'ready') yield* audioOf(deps, song, folder, lastModified)
  }
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  'audio/mpeg': 'mp3',
  'audio/wav': 'wav',
  'audio/flac': 'flac',
  'audio/mp4': 'm4a',
  'audio/ogg': 'ogg',
}

/** Every take of both versions. One object is open at a time, and only while it is sent. */
async function* audioOf(
  deps: RouteDeps,
  song: Song,
  folder: string,
  lastModified: Date,
): AsyncGenerator<Entry> {
  const { takes } = await deps.songs.takes({ params: { id: song.id } })
  for (const { version, take, path: stored } of takes) {
    const isNewest = stored === song[`storagePath${version}`]
    const path = audioPath(song, version, { path: stored, inside: '1' })
    const answer: CallReply = await deps.calls.call('storage', {
      method: 'GET',
      path,
      reads: true,
      answerIsStream: true,
    })
    if (answer.status !== 200) await readReply('storage', answer)
    const extension = EXTENSIONS[answer.headers['content-type'] ?? ''] ?? 'audio'
    try {
      const name = isNewest ? `version-${version}` : `version-${version}-take-${take}`
      yield { name: `${folder}/${name}.${extension}`, lastModified, input: answer.body }
    } finally {
      answer.body.destroy()
    }
  }
}

/** Songs of one title on one day differ by the end of their ids, which is random. */
const shortIdOf = ({ id }: Song): string => id.slice(-8)

const dayOf = (at: Date): string => at.toISOString().slice(0, 10)

/** A brand may be any text; headers and file names allow fewer characters. */
const fileName = (brand: string): string =>
  brand
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '') || 'my'
