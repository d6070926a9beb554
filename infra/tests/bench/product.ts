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

/** The largest adjustment, in credits. */
const AT_ONCE = 10_000
const DECIDED_WITHIN_MS = 120_000

/** No rate limits, and adjustments of any size. */
export const WITHOUT_LIMITS = { RATE_LIMITS: 'off', CONFIRM_ABOVE: '1000000' }

/** Starts the product as `make start` does, with `env` on top. */
export const startBenchProduct = async (env: Record<string, string> = {}): Promise<BenchProduct> =>
  benchProduct(await startProductProcess({ ...WITHOUT_LIMITS, ...env }))

/** `adminUrl`: of its database, where that is not in its data folder. */
export async function benchProduct(product: ProductProcess, adminUrl?: string): Promise<BenchProduct> {
  const { dataDir } = product
  const db = await withDatabase({ dataDir, adminUrl }, (connectionString) =>
    Promise.resolve(new pg.Pool({ connectionString, max: 2 })),
  )
  db.on('error', () => undefined)
  const { operator, people } = await peopleOf(product)
  return {
    url: product.endpoints.web,
    process: product,
    operator,
    db,
    people,
    [Symbol.asyncDispose]: async () => {
      await db.end()
      await product[Symbol.asyncDispose]()
    },
  }
}

/** The operator of a running product, and people with credits. */
export async function peopleOf(
  product: Pick<ProductProcess, 'endpoints'>,
): Promise<Pick<BenchProduct, 'operator' | 'people'>> {
  const { email, password } = product.endpoints.operator
  const operator = await signIn(product, { email })
  await operator.post('/api/operator/unlock', { password })
  const give = async (uid: string, credits: number): Promise<void> => {
    const { status } = await operator.post('/api/operator/credits', { uid, credits, reason: 'bench' })
    if (status !== 200) throw new Error(`${status} for ${credits} credits`)
  }
  let made = 0
  const person = async (credits: number): Promise<Person> => {
    const signedIn = await signIn(product, { email: `bench-${made++}@prelude.test`, name: 'Bench' })
    const { uid } = signedIn
    for (let left = credits; left > 0; left -= AT_ONCE) await give(uid, Math.min(left, AT_ONCE))
    return signedIn
  }
  return {
    operator,
    people: async (count, credits) => {
      const people: Person[] = []
      while (people.length < count) people.push(await person(credits))
      return people
    },
  }
}

/** Waits until each of a person's newest songs is charged or declined. */
export async function untilDecided(person: Person): Promise<void> {
  const until = Date.now() + DECIDED_WITHIN_MS
  while (await isDeciding(person)) if (Date.now() > until) throw new Error('not all songs were charged')
}

async function isDeciding(person: Person): Promise<boolean> {
  const { body } = await person.get<{ items: { charge: string }[] }>('/api/songs?limit=100')
  return body.items.some(({ charge }) => charge === 'deciding')
}
