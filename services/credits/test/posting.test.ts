import { expect, test } from 'vitest'
import { type Journal, songCharge, unpaidSong, songRefund } from '../src/domain/journals.ts'
import { createLedger, type Posting } from '../src/store/ledger.ts'
import { accountOf, breaches, startCredits, statementOf, topUp } from './start-credits.ts'

/** One of each kind, of people whose names begin so. `known` was charged before. */
const journalsOf = (who: string): Journal[] => [
  songCharge(`${who}-rich`, `${who}-1`, 1000),
  songCharge(`${who}-poor`, `${who}-2`, 1000),
  songCharge(`${who}-known`, `${who}-known`, 1000),
  songCharge(`${who}-twice`, `${who}-4`, 1000),
  songCharge(`${who}-new`, `${who}-5`, 1000),
  unpaidSong(`${who}-gift`, `${who}-6`, 'gift'),
  songCharge(`${who}-twice`, `${who}-7`, 1000),
  songRefund(`${who}-back`, `${who}-8`, 1000),
  songCharge(`${who}-rich-too`, `${who}-9`, 1000),
]

test('journals of a batch are decided as if they came one after the other, and answered in their order', async () => {
  await using credits = await startCredits()
  const ledger = createLedger(0, credits.clock)
  const outcomes: Record<string, unknown[]> = {}
  for (const who of ['together', 'alone']) {
    for (const one of ['rich', 'known', 'gift', 'rich-too'])
      await topUp(credits, `${who}-${one}`, `${who}-${one}`, 2500)
    await topUp(credits, `${who}-twice`, `${who}-twice`, 1500)
    await topUp(credits, `${who}-poor`, `${who}-poor`, 900)
    await accountOf(credits, `${who}-back`)
    await credits.db.transaction((tx) => ledger.post(tx, songCharge(`${who}-known`, `${who}-known`, 1000)))
    const journals = journalsOf(who)
    const postings: Posting[] = []
    if (who === 'alone')
      for (const journal of journals)
        postings.push(await credits.db.transaction((tx) => ledger.post(tx, journal)))
    else postings.push(...(await credits.db.transaction((tx) => ledger.postAll(tx, journals))))
    outcomes[who] = postings.map((posting) => ({
      ...posting,
      account: { ...posting.account, uid: posting.account.uid.replace(who, '') },
    }))
    expect(postings.map(({ outcome }) => outcome).join(' ')).toBe(
      'applied insufficient replayed applied insufficient applied insufficient applied applied',
    )
  }
  expect(outcomes['together']).toEqual(outcomes['alone'])
  expect(await statementOf(credits, 'together-twice')).toEqual([
    [1500, 'top_up', 'together-twice'],
    [-1000, 'song', 'together-4'],
  ])
  // a debt and a waiting list are the handlers' work; the ledger's own rules hold
  expect(await breaches(credits)).not.toContain('the entries of a journal sum to zero')
})
