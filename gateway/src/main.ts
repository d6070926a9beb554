import { drainConnections, serveAlone, systemClock } from '@prelude/platform'
import { openKeyValue } from './api/key-value/index.ts'
import { gatewayConfigOf, gatewayProgram } from './config.ts'
import { createGateway } from './index.ts'

await serveAlone({
  program: gatewayProgram,
  env: process.env,
  clock: systemClock,
  make: ({ db, clock, bus, calls, logger, config }) => {
    const kv = openKeyValue(config.kvUrl, logger, clock)
    const gateway = createGateway({ db, clock, kv, bus, calls, logger, config: gatewayConfigOf(config) })
    return {
      service: gateway.service,
      dependencies: [{ name: 'key-value', needed: true, ping: () => kv.ping() }],
      start: async () => {
        const app = await gateway.publicApp()
        await app.listen({ host: config.publicHost, port: config.publicPort })
        return {
          drain: () => drainConnections(app.server),
          stop: async () => {
            await app.close()
            await kv.close()
          },
        }
      },
    }
  },
})
