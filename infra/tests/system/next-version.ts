import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { copyCheckout } from '../support/copy-checkout.ts'

/**
 * A copy of this checkout as a next version might be. `SongRequested`, which credits handles, has a version 2 with another field;
 * credits emits a new event, `SongPriced`, which songs writes down in a table of its own, without a key, so that an effect that
 * happens twice is seen.
 */
export async function makeNextVersion(copy: string): Promise<void> {
  await copyCheckout(copy)
  const edit = async (file: string, from: string, to: string): Promise<void> => {
    const text = await readFile(join(copy, file), 'utf8')
    if (text.split(from).length !== 2) throw new Error(`${file} has not one "${from}" any more`)
    await writeFile(
      join(copy, file),
      text.replace(from, () => to),
    )
  }
  const add = (file: string, text: string): Promise<void> => writeFile(join(copy, file), text)

  const events = 'services/contracts/src/events'
  await edit(`${events}/song-requested.ts`, 'export const SongRequested =', 'export const SongRequestedV1 =')
  await add(
    `${events}/song-requested.v2.ts`,
    `import { Type } from 'typebox'
     import { Cents, defineEvent, Id } from './event.ts'
     export const SongRequested = defineEvent('prelude.songs', 'SongRequested', { for: ['credits'], version: 2 }, '',
       Type.Object({ song: Id, songId: Id, uid: Id, price: Type.Optional(Cents) }))`,
  )
  await add(
    `${events}/song-priced.ts`,
    `import { Type } from 'typebox'
     import { defineEvent, Id } from './event.ts'
     export const SongPriced = defineEvent('prelude.credits', 'SongPriced', { for: ['songs'] }, '',
       Type.Object({ songId: Id, uid: Id }))`,
  )
  await edit(
    `${events}/all.ts`,
    `export { SongRequested } from './song-requested.ts'`,
    `export { SongRequestedV1 } from './song-requested.ts'
     export { SongRequested } from './song-requested.v2.ts'
     export { SongPriced } from './song-priced.ts'`,
  )

  const credits = 'services/credits/src'
  await edit(`${credits}/index.ts`, '  SongRequested,\n', '  SongRequested, SongRequestedV1,\n')
  await edit(
    `${credits}/index.ts`,
    'onMany(SongRequested, chargeForSongs(ledger)),',
    `onMany(SongRequestedV1, chargeForSongs(ledger)),
      onMany(SongRequested, (requests, tx) => chargeForSongs(ledger)(
        requests.map((one) => ({ ...one, data: { ...one.data, songId: one.data.song } })), tx)),`,
  )
  const charge = `${credits}/handlers/charge-for-songs.ts`
  await edit(charge, '  CreditsDeclined,\n', '  CreditsDeclined, SongPriced,\n')
  await edit(
    charge,
    `      if (posting.outcome === 'applied')\n`,
    `      if (posting.outcome === 'applied') tx.emit(SongPriced, { songId, uid }, events[i])
      if (posting.outcome === 'applied')\n`,
  )

  const songs = 'services/songs'
  await add(`${songs}/migrations/9999-priced-songs.sql`, 'create table priced_song (id text not null);')
  await edit(
    `${songs}/src/routes/request-song.ts`,
    'tx.emit(SongRequested, { songId, uid, price },',
    'tx.emit(SongRequested, { song: songId, songId, uid, price },',
  )
  await edit(`${songs}/src/index.ts`, '  AccountClosed,\n', '  AccountClosed, SongPriced,\n')
  await edit(
    `${songs}/src/index.ts`,
    '  on(AccountClosed,',
    `      on(SongPriced, async ({ data }, tx) => {
        await tx.query('insert into priced_song values ($1)', [data.songId])
      }),
  on(AccountClosed,`,
  )
}
