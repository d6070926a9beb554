import type { notifierApi, ReplyOf } from '@prelude/contracts'
import type { Watch } from '../jobs/watch-product.ts'

export const listAlerts = (watch: Watch) => async (): Promise<ReplyOf<typeof notifierApi.alerts>> => ({
  items: await watch.alerts(),
})
