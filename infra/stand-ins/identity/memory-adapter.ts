import type { Adapter, AdapterFactory, AdapterPayload } from 'oidc-provider'

const SWEEP_EVERY = 500

/**
 * oidc-provider's storage in memory: a restart ends sign-ins in progress, and the person starts again. The library's own
 * adapter keeps 1,000 records and drops the oldest, which loses sign-ins when many happen at once.
 */
export function memoryAdapter(): AdapterFactory {
  const records = new Map<string, { payload: AdapterPayload; expiresAt: number }>()
  let writes = 0

  const sweep = (): void => {
    for (const [key, { expiresAt }] of records) if (expiresAt <= Date.now()) records.delete(key)
  }
  const read = (key: string): AdapterPayload | undefined => {
    const record = records.get(key)
    return record && record.expiresAt > Date.now() ? record.payload : undefined
  }
  const first = (
    model: string,
    matches: (payload: AdapterPayload) => boolean,
  ): AdapterPayload | undefined => {
    for (const [key, { payload }] of records) {
      if (key.startsWith(`${model}:`) && matches(payload)) return read(key)
    }
    return undefined
  }

  return (model): Adapter => ({
    async upsert(id, payload, expiresIn) {
      if (++writes % SWEEP_EVERY === 0) sweep()
      const expiresAt = expiresIn === undefined ? Infinity : Date.now() + expiresIn * 1000
      records.set(`${model}:${id}`, { payload, expiresAt })
    },
    find: async (id) => read(`${model}:${id}`),
    findByUid: async (uid) => first(model, (payload) => payload.uid === uid),
    findByUserCode: async (code) => first(model, (payload) => payload.userCode === code),
    async consume(id) {
      const payload = read(`${model}:${id}`)
      if (payload) payload['consumed'] = Math.floor(Date.now() / 1000)
    },
    async destroy(id) {
      records.delete(`${model}:${id}`)
    },
    async revokeByGrantId(grantId) {
      for (const [key, { payload }] of records) if (payload.grantId === grantId) records.delete(key)
    },
  })
}
