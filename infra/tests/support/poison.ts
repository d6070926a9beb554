import { withOwnerConnection } from '@prelude/platform'
import { withDatabase } from '../../embedded/with-database.ts'
import type { ProductProcess } from './product-process.ts'

type Data = Pick<ProductProcess, 'dataDir'>

/** Runs a statement as the database's owner, on the data of a running product. */
export const asOwner = async ({ dataDir }: Data, sql: string): Promise<void> => {
  const at = { dataDir, adminUrl: process.env['DATABASE_ADMIN_URL'] }
  await withDatabase(at, (adminUrl) =>
    withOwnerConnection(adminUrl, async (client) => void (await client.query(sql))),
  )
}

/** Makes every posting for these people fail, as by a fault in a new version. */
export const poison = (product: Data, ...uids: string[]): Promise<void> =>
  asOwner(
    product,
    `create or replace function credits.poison() returns trigger language plpgsql as
       $$ begin if new.uid in (${uids.map((uid) => `'${uid}'`).join()}) then raise exception 'poisoned'; end if; return new; end $$;
     create or replace trigger poison before insert on credits.journal
       for each row execute function credits.poison()`,
  )

/** Repairs the fault. */
export const heal = (product: Data): Promise<void> =>
  asOwner(product, 'drop trigger if exists poison on credits.journal')
