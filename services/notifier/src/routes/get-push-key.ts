import type { pushApi, ReplyOf } from '@prelude/contracts'
import type { VapidKeys } from '../store/push.ts'

export const getPushKey =
  (keys: () => Promise<VapidKeys>) => async (): Promise<ReplyOf<typeof pushApi.key>> => ({
    publicKey: (await keys()).publicKey,
  })
