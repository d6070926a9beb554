import type { Query } from '@prelude/platform'

/** The time up to which the provider's events were compared, seconds since the epoch; 0 before the first round. */
export const readReconciledUntil = async (q: Query, provider: string): Promise<number> =>
  (await q.query<{ until: number }>('select until from reconciled where provider = $1', [provider])).rows[0]
    ?.until ?? 0

export const setReconciledUntil = async (q: Query, provider: string, until: number): Promise<void> => {
  await q.query(
    `insert into reconciled (provider, until) values ($1, $2)
     on conflict (provider) do update set until = greatest(reconciled.until, excluded.until)`,
    [provider, until],
  )
}
