import { SongFulfilled, SongRequested } from '@prelude/contracts'
import { expect, test } from 'vitest'
import { creditsInvariants } from '../src/index.ts'
import { breaches, startCredits, topUp } from './start-credits.ts'

/** For each invariant one damage that an owner of the database could do, past constraints and triggers. */
const DAMAGE: Record<string, string> = {
  'the entries of a journal sum to zero': `update entry set amount_cents = amount_cents - 1 where account = 'card_clearing'`,
  'all entries sum to zero': `update entry set amount_cents = amount_cents + 7 where account = 'sales'`,
  'every balance is the sum of its entries': `update account set balance_cents = balance_cents + 1`,
  'every debt is what the receivable entries say': `update account set debt_cents = 5`,
  'no payment is owed less than nothing': `insert into entry (journal_id, account, amount_cents, reason)
    select id, 'receivable:u1', 5, 'debt_settled' from journal where kind = 'payment'`,
  'no balance and no debt is below zero': `alter table account drop constraint account_balance_cents_check;
    update account set balance_cents = -1`,
  'nobody has credits and a debt at once': `update account set balance_cents = 5, debt_cents = 5`,
  'every entry of a person states the balance after it': `update entry set balance_after_cents = 3 where account = 'person:u1'`,
  'the version of an account counts what changed it': `update account set version = version + 1`,
  'a song is charged at most once and refunded at most once': `
    insert into journal (kind, key, uid, reference) values ('song', 'again', 'u1', 's1');
    insert into entry (journal_id, account, amount_cents, reason)
    select id, 'sales', 1000, 'song' from journal where key = 'again'`,
  'a payment is credited at most once': `
    insert into journal (kind, key, uid, reference) values ('payment', 'again', 'u1', 'p1');
    insert into entry (journal_id, account, amount_cents, balance_after_cents, reason)
    select id, 'person:u1', 2500, 2500, 'top_up' from journal where key = 'again'`,
  'no song waits while the credits for it are there': `update account set balance_cents = 1000`,
  'a song waits if and only if it is neither charged nor a gift': `
    update waiting_song set closed_as = 'charged' where song_id = 'gift'`,
  'the newest event of an account states its balance and version': `update account set version = version + 1, balance_cents = 1`,
  'every entry of a person has one event, and every event has its entry': `
    update event set data = data || '{"amount": 1}' where type = 'CreditsCharged'`,
}

test('every invariant is seen when it is broken', async () => {
  await using credits = await startCredits()
  await topUp(credits, 'u1', 'p1', 1500)
  for (const songId of ['s1', 'waiting', 'gift']) await credits.deliver(SongRequested, { songId, uid: 'u1' })
  await credits.deliver(SongFulfilled, { songId: 'gift', uid: 'u1', gift: true })
  expect(await breaches(credits)).toEqual([])
  expect(Object.keys(DAMAGE)).toEqual(creditsInvariants.map((invariant) => invariant.name))
  for (const { name, sql } of creditsInvariants) {
    // one batch is one transaction: the error that reports the breach undoes the damage
    const seen = credits.admin.query(
      `set local session_replication_role = replica; ${DAMAGE[name]};
       do $do$ begin if exists (${sql}) then raise exception 'seen: ${name}'; end if; end $do$`,
    )
    await expect(seen).rejects.toThrow(`seen: ${name}`)
  }
  expect(await breaches(credits)).toEqual([])
})
