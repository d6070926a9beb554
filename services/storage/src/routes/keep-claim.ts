import type { ReplyOf, storageApi } from '@prelude/contracts'
import type { RouteContext } from '@prelude/platform'
import type { Claims } from '../claims.ts'

export const keepClaim =
  (claims: Claims) =>
  async ({
    params: { claim = '' },
  }: RouteContext<typeof storageApi.keep>): Promise<ReplyOf<typeof storageApi.keep>> => {
    await claims.keep(claim)
    return {}
  }
