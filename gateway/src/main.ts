import { integer, open, drainConnections, serveAlone, text, url } from '@prelude/platform'
import { gatewaySettings, readGatewayConfig } from './config.ts'
import { createGateway } from './index.ts'

await serveAlone({
  service: 'gateway',
  settings: {
    ...gatewaySettings,
    kvUrl: { env: 'KV_URL', means: 'sessions, limits and live fan-out', parse: url },
    publicHost: {
      env: 'PUBLIC_HOST',
      means: 'address that the public port listens on',
      parse: text,
      fallback: '0.0.0.0',
    },
    publicPort: { env: 'PORT', means: 'the public port', parse: integer(1, 65_535) },
  },
  calls: ['songs', 'credits', 'payments', 'storage', 'notifier', 'gateway'],
  env: process.env,
  make: ({ db, bus, calls, logger, config }) => {
    const kv = open.keyValue(config.kvUrl, logger)
    const gateway = createGateway({ db, kv, bus, calls, logger, config: readGatewayConfig(process.env) })
    return {
      service: gateway.service,
      dependencies: [{ name: 'key-value', needed: true, ping: () => kv.ping() }],
      start: async () => {
        const app = await gateway.publicApp()
        await app.listen({ host: config.publicHost, port: config.publicPort })
        return {
          leave: () => drainConnections(app.server),
          stop: async () => {
            await app.close()
            await kv.close()
          },
        }
      },
    }
  },
})
