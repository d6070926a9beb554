import type { pushApi } from '@prelude/contracts'
import type { RouteHandler } from '@prelude/platform'
import type { VapidKeys } from '../store/push.ts'

export const getPushKey =
  (keys: () => Promise<VapidKeys>): RouteHandler<typeof pushApi.key> =>
  async () => ({
    publicKey: (await keys()).publicKey,
  })
