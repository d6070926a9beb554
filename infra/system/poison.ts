import { withClient } from '../embedded/command.ts'
import { withDatabase } from '../embedded/with-database.ts'
import type { ProductProcess } from './product-process.ts'

/** A statement as the database's owner, on the data of a running product. */
export const asOwner = async (product: ProductProcess, sql: string): Promise<void> => {
  const at = { dataDir: product.dataDir, adminUrl: process.env['DATABASE_ADMIN_URL'] }
  await withDatabase(at, (adminUrl) => withClient(adminUrl, async (client) => void (await client.query(sql))))
}

/** From now on the ledger cannot post anything for this person, as if a new version had a fault. */
export const poison = (product: ProductProcess, uid: string): Promise<void> =>
  asOwner(
    product,
    `create or replace function credits.poison() returns trigger language plpgsql as
       $$ begin if new.uid = '${uid}' then raise exception 'poisoned'; end if; return new; end $$;
     create or replace trigger poison before insert on credits.journal
       for each row execute function credits.poison()`,
  )

/** The fault is mended. */
export const heal = (product: ProductProcess): Promise<void> =>
  asOwner(product, 'drop trigger poison on credits.journal')
