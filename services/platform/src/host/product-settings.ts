import { STANDARD_TERMS } from '@prelude/contracts'
import { decimal, email, integer, oneOf, onOff, optional, setting, text, trialSetting } from './config.ts'
import { httpOrigin, publicOrigin } from './rules.ts'

/** Settings that several services read, and the product in one process. */
export const productSettings = {
  publicUrl: setting('PUBLIC_URL', 'address that people use', publicOrigin),
  brandName: setting('BRAND_NAME', 'name of the product', text, 'Prelude'),
  supportEmail: trialSetting(
    'SUPPORT_EMAIL',
    'address that people can write to',
    email,
    'support@prelude.test',
  ),
  operatorEmail: trialSetting(
    'OPERATOR_EMAIL',
    'where requests are announced',
    email,
    'operator@prelude.test',
  ),
}

export const rateLimits = { env: 'RATE_LIMITS', means: 'on or off', ...onOff, fallback: true }

/** The terms of changes, which pages and mails say and the songs service applies. */
export const termsSettings = {
  changesIncluded: setting(
    'CHANGES_INCLUDED',
    'rounds of changes that a song includes',
    integer(0, 100),
    STANDARD_TERMS.changesIncluded,
  ),
  changesDays: setting(
    'CHANGES_DAYS',
    'days after a delivery in which changes can be asked for',
    decimal(0, 10_000),
    STANDARD_TERMS.changesDays,
  ),
  messagesDays: setting(
    'MESSAGES_DAYS',
    'days after which messages about an accepted or closed song end',
    decimal(0, 10_000),
    STANDARD_TERMS.messagesDays,
  ),
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

export const logLevel = setting(
  'LOG_LEVEL',
  'how much is logged',
  oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
  'info',
)
