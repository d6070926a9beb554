import { expect, test } from 'vitest'
import { accountOf, startCredits, topUp } from './start-credits.ts'

test('the service itself can neither change nor remove what is written in the ledger', async () => {
  await using credits = await startCredits()
  await topUp(credits, 'u1', 'p1', 2500)
  for (const statement of [
    `update journal set note = 'changed'`,
    `update entry set amount_cents = amount_cents + 1`,
    'delete from entry',
    'delete from journal',
    'truncate entry, journal',
  ]) {
    await expect(credits.db.query(statement)).rejects.toThrow('permission denied')
  }
  expect((await accountOf(credits, 'u1')).balanceCents).toBe(2500)
})

test('a journal whose entries do not sum to zero cannot be committed', async () => {
  await using credits = await startCredits()
  const unbalanced = credits.db.transaction(async (tx) => {
    await tx.query(
      `with written as (insert into journal (kind, key, uid) values ('adjustment', 'a1', 'u1') returning id)
       insert into entry (journal_id, account, amount_cents, reason) select id, 'sales', 100, 'adjustment' from written`,
    )
  })
  await expect(unbalanced).rejects.toThrow('do not sum to zero')
})

test('no balance can be stored below zero, under any role', async () => {
  await using credits = await startCredits()
  await topUp(credits, 'u1', 'p1', 2500)
  await expect(credits.admin.query('update account set balance_cents = -1')).rejects.toThrow(
    'check constraint',
  )
})
