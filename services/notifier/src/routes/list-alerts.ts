import type { notifierApi } from '@prelude/contracts'
import type { RouteHandler } from '@prelude/platform'
import type { Watch } from '../jobs/watch-product.ts'

export const listAlerts =
  (watch: Watch): RouteHandler<typeof notifierApi.alerts> =>
  async () => ({
    items: await watch.alerts(),
  })
