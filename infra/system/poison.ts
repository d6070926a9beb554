import { withClient } from '../embedded/command.ts'
import { withDatabase } from '../embedded/with-database.ts'
import type { ProductProcess } from './product-process.ts'

type Place = Pick<ProductProcess, 'dataDir'>

/** A statement as the database's owner, on the data of a running product. */
export const asOwner = async ({ dataDir }: Place, sql: string): Promise<void> => {
  const at = { dataDir, adminUrl: process.env['DATABASE_ADMIN_URL'] }
  await withDatabase(at, (adminUrl) => withClient(adminUrl, async (client) => void (await client.query(sql))))
}

/** From now on the ledger cannot post anything for these people, as if a new version had a fault. */
export const poison = (product: Place, ...uids: string[]): Promise<void> =>
  asOwner(
    product,
    `create or replace function credits.poison() returns trigger language plpgsql as
       $$ begin if new.uid in (${uids.map((uid) => `'${uid}'`).join()}) then raise exception 'poisoned'; end if; return new; end $$;
     create or replace trigger poison before insert on credits.journal
       for each row execute function credits.poison()`,
  )

/** The fault is mended. */
export const heal = (product: Place): Promise<void> =>
  asOwner(product, 'drop trigger if exists poison on credits.journal')
