import pg from 'pg'
import { withDatabase } from '../../embedded/with-database.ts'
import { type Person, signIn } from '../support/person.ts'
import { type ProductProcess, startProductProcess } from '../support/product-process.ts'

/** The product under load, as a process of its own. */
export interface BenchProduct extends AsyncDisposable {
  readonly url: string
  readonly process: ProductProcess
  /** Unlocked. */
  readonly operator: Person
  /** As the database's owner. */
  readonly db: pg.Pool
  /** Signed in, each with `credits`. */
  people(count: number, credits: number): Promise<Person[]>
}

/** Starts the product as `make start` does, with `env` on top and without rate limits. */
export async function startBenchProduct(env: Record<string, string> = {}): Promise<BenchProduct> {
  const product = await startProductProcess({ RATE_LIMITS: 'off', ...env })
  const { dataDir } = product
  const db = await withDatabase({ dataDir, adminUrl: undefined }, (connectionString) =>
    Promise.resolve(new pg.Pool({ connectionString, max: 2 })),
  )
  db.on('error', () => undefined)
  const { email, password } = product.endpoints.operator
  const operator = await signIn(product, { email })
  await operator.post('/api/operator/unlock', { password })
  let made = 0
  const person = async (credits: number): Promise<Person> => {
    const signedIn = await signIn(product, { email: `bench-${made++}@prelude.test`, name: 'Bench' })
    const { uid } = signedIn
    if (credits > 0) await operator.post('/api/operator/credits', { uid, credits, reason: 'bench' })
    return signedIn
  }
  return {
    url: product.endpoints.web,
    process: product,
    operator,
    db,
    people: async (count, credits) => {
      const people: Person[] = []
      while (people.length < count) people.push(await person(credits))
      return people
    },
    [Symbol.asyncDispose]: async () => {
      await db.end()
      await product[Symbol.asyncDispose]()
    },
  }
}
