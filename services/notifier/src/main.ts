import { serveAlone, systemClock } from '@prelude/platform'
import { alertsOf, createNotifier, notifierProgram, pushesOf, senderOf, smtpMailer } from './index.ts'

await serveAlone({
  program: notifierProgram,
  env: process.env,
  clock: systemClock,
  make: ({ db, clock, instance, calls, logger, config }) => {
    const mailer = smtpMailer({ url: config.mailUrl, from: senderOf(config), logger })
    return {
      service: createNotifier({
        db,
        clock,
        instance,
        calls,
        mailer,
        logger,
        config: { ...config, alerts: alertsOf(config), pushes: pushesOf(config) },
      }),
      dependencies: [{ name: 'mail', needed: false, ping: () => mailer.ping() }],
    }
  },
})
