import { STANDARD_TERMS } from '@prelude/contracts'
import { decimal, email, integer, oneOf, onOff, optional, text } from './config.ts'
import { httpOrigin, publicOrigin } from './rules.ts'

/** Settings that several services read, and the product in one process. */
export const productSettings = {
  publicUrl: { env: 'PUBLIC_URL', means: 'address that people use', parse: publicOrigin },
  brandName: { env: 'BRAND_NAME', means: 'name of the product', parse: text, fallback: 'Prelude' },
  supportEmail: {
    env: 'SUPPORT_EMAIL',
    means: 'address that people can write to',
    parse: email,
    trial: 'support@prelude.test',
  },
  operatorEmail: {
    env: 'OPERATOR_EMAIL',
    means: 'where requests are announced',
    parse: email,
    trial: 'operator@prelude.test',
  },
}

export const rateLimits = { env: 'RATE_LIMITS', means: 'on or off', ...onOff, fallback: true }

/** The terms of changes, which pages and mails say and the songs service applies. */
export const termsSettings = {
  changesIncluded: {
    env: 'CHANGES_INCLUDED',
    means: 'rounds of changes that a song includes',
    parse: integer(0, 100),
    fallback: STANDARD_TERMS.changesIncluded,
  },
  changesDays: {
    env: 'CHANGES_DAYS',
    means: 'days after a delivery in which changes can be asked for',
    parse: decimal(0, 10_000),
    fallback: STANDARD_TERMS.changesDays,
  },
  messagesDays: {
    env: 'MESSAGES_DAYS',
    means: 'days after which messages about an accepted or closed song end',
    parse: decimal(0, 10_000),
    fallback: STANDARD_TERMS.messagesDays,
  },
}

export const STAND_IN_GENERATOR = 'stand-in'

/** Storage calls it; the gateway says in the form that it is in use. */
export const generatorUrl = optional(
  'GENERATOR_URL',
  'music generator with the API of ACE-Step 1.5, or stand-in; none if not given',
  (value) => (value === STAND_IN_GENERATOR ? value : httpOrigin(value)),
)

/** The OpenTelemetry SDK reads these itself, and the other standard variables too. */
export const tracingSettings = {
  tracesEndpoint: optional('OTEL_EXPORTER_OTLP_ENDPOINT', 'where traces are sent; none if not given', text),
  tracesSampler: optional('OTEL_TRACES_SAMPLER', 'which requests are traced; all if not given', text),
  tracesSamplerArg: optional('OTEL_TRACES_SAMPLER_ARG', 'its argument', text),
}

export const logLevel = {
  env: 'LOG_LEVEL',
  means: 'how much is logged',
  parse: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
  fallback: 'info' as const,
}
