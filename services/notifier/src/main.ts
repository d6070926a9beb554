import { open, serveAlone } from '@prelude/platform'
import { alertsOf, createNotifier, notifierSettings, pushesOf } from './index.ts'

await serveAlone({
  service: 'notifier',
  settings: notifierSettings,
  calls: ['songs', 'gateway', 'payments', 'credits', 'storage', 'notifier'],
  env: process.env,
  make: ({ db, calls, logger, config }) => {
    const mailer = open.mailer(config.mailUrl, config.mailFrom, logger)
    return {
      service: createNotifier({
        db,
        calls,
        mailer,
        logger,
        config,
        alerts: alertsOf(config),
        pushes: pushesOf(config),
      }),
      dependencies: [{ name: 'mail', needed: false, ping: () => mailer.ping() }],
    }
  },
})
