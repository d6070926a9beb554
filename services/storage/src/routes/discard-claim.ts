import type { ReplyOf, storageApi } from '@prelude/contracts'
import type { RouteContext } from '@prelude/platform'
import type { Claims } from '../claims.ts'

export const discardClaim =
  (claims: Claims) =>
  async ({
    params: { claim = '' },
  }: RouteContext<typeof storageApi.discard>): Promise<ReplyOf<typeof storageApi.discard>> => {
    await claims.discard(claim)
    return {}
  }
