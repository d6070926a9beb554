import { isLoopback } from '../loopback.ts'
import type { Settings } from './config.ts'

/** Rules for settings of more than one service, in every shape: `make start`, a service that runs alone, containers. */

export const isSafe = (address: string): boolean =>
  address.startsWith('https:') || (address.startsWith('http:') && isLoopback(address))

/** An address that people use: https, or http on this machine. Answers its origin. */
export function publicOrigin(value: string): string {
  const origin = httpOrigin(value)
  if (!isSafe(value)) throw new Error('must be https, or http on localhost')
  return origin
}

/** The origin of an address that has no path. */
export function httpOrigin(value: string): string {
  if (!URL.canParse(value)) throw new Error('must be a URL')
  const { protocol, pathname, search, hash, origin, username, password } = new URL(value)
  if (!['http:', 'https:'].includes(protocol) || pathname !== '/' || search || hash || username || password)
    throw new Error('must be an address without a path, like https://prelude.example')
  return origin
}

/** A secret of our own making. */
export function internalSecret(value: string): string {
  if (!/^\S{32,}$/.test(value)) throw new Error('must have 32 characters at least, and no white space')
  return value
}

/** A secret that a provider issued, of any length, and not the placeholder of an example. */
export const providerSecret =
  (pattern = /^(?!from |change|replace|your ).+$/i, hint = 'no text of an example') =>
  (value: string): string => {
    if (!pattern.test(value)) throw new Error(`must be the real one, with ${hint}`)
    return value
  }

/** Secrets that are shorter than any that a provider issues; stand-ins on this machine and tests use such. */
export const shortSecrets = (secrets: Readonly<Record<string, string | null>>): string[] =>
  Object.entries(secrets)
    .filter(([, value]) => value && isShort(value))
    .map(([env]) => `${env} must be the real one, with 16 characters at least after its prefix`)

export const isShort = (secret: string): boolean => /^(?:[sr]k_(?:test_|live_)?|whsec_)?.{0,15}$/.test(secret)

/** Addresses and accounts of a trial. Beside anything real they are refused: people would write, and pay, to nobody. */
export const trialValues = (settings: Settings, values: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(settings)
    .filter(([name, { trial }]) => trial !== undefined && values[name] === trial)
    .map(([, { env }]) => `${env} must be your own, since not all is on this machine`)

/** The settings that name a PostgreSQL on another machine without `sslmode`: pg then connects without TLS. */
export const withoutTls = (values: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(values).flatMap(([name, value]) => {
    if (typeof value !== 'string' || !/^postgres(ql)?:/.test(value)) return []
    const { hostname, searchParams } = new URL(value)
    const isHere = hostname === '' || hostname.startsWith('%2F') || isLoopback(value)
    return isHere || searchParams.has('sslmode') ? [] : [name]
  })
