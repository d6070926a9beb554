import { copyFileSync, mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { ServiceName } from '@prelude/contracts'
import { type Clock, type Logger, systemClock } from '@prelude/platform'
import { testService } from '@prelude/platform/testing'
import type { FastifyInstance } from 'fastify'
import { createGateway, type Gateway, type GatewayConfig, personUid } from '../src/index.ts'
import { gatewayPorts } from './gateway-ports.ts'
import { type Claims, identityStandIn } from './identity-stand-in.ts'
import type { KeyValue } from '../src/api/key-value/port.ts'

export const PUBLIC_URL = 'http://localhost:8080'
export const OPERATOR: Claims = {
  sub: 'boss',
  email: 'boss@example.org',
  email_verified: true,
  name: 'The Boss',
}
export const ADA: Claims = {
  sub: 'ada',
  email: 'Ada@Example.org',
  email_verified: true,
  name: 'Ada Lovelace',
}
export const EVE: Claims = { sub: 'eve', email: 'eve@example.org', email_verified: true, name: 'Eve' }
export const PASSWORD = 'open sesame'
const PROVIDER = 'test'
export const uidOf = (claims: Claims): string => personUid(PROVIDER, claims.sub)

type Stubs = Partial<Record<ServiceName, (app: FastifyInstance) => void>>

export interface Options {
  readonly config?: Partial<GatewayConfig>
  readonly services?: Stubs
  readonly kv?: (kv: KeyValue) => KeyValue
  /** In place of the clock that `gateway.clock` moves, which the key-value store has all the same. */
  readonly clock?: Clock
  readonly logger?: (logger: Logger) => Logger
  /** What the identity provider says about itself, beside what it must. */
  readonly provider?: object
}

/** The gateway behind a real socket, on real PostgreSQL; the other services are stubs that a test gives. */
export async function startGateway({
  config: given = {},
  services = {},
  kv = (real) => real,
  clock,
  logger = (real) => real,
  provider = {},
}: Options = {}) {
  const ports = await gatewayPorts(['songs', 'credits', 'payments', 'storage', 'notifier'])
  const identity = await identityStandIn(provider, clock ?? ports.clock)
  const webRoot = mkdtempSync(join(tmpdir(), 'prelude-web-'))
  mkdirSync(join(webRoot, 'assets'))
  writeFileSync(
    join(webRoot, 'index.html'),
    `<!doctype html><head><title>{{BRAND_NAME}}</title><meta content="{{CHANGES_INCLUDED}} {{CHANGES_DAYS}}"><meta name="legal-pages" content="{{LEGAL_PAGES}}"><script type="module" crossorigin src="/assets/app-abc.js"></script><link rel="stylesheet" href="/assets/app-abc.css"></head>${' '.repeat(2000)}`,
  )
  copyFileSync(resolve(import.meta.dirname, '../../web/share.html'), join(webRoot, 'share.html'))
  writeFileSync(join(webRoot, 'manifest.webmanifest'), '{"name": "{{BRAND_NAME}}"}')
  writeFileSync(join(webRoot, 'mail-cassette.png'), '')
  writeFileSync(join(webRoot, 'assets', 'app-abc.js'), 'export {}')
  writeFileSync(join(webRoot, 'assets', 'app-abc.js.br'), brotliCompressSync('export {}'))
  writeFileSync(join(webRoot, 'assets', 'app-abc.js.gz'), gzipSync('export {}'))
  writeFileSync(join(webRoot, 'assets', 'plain.js'), `export {} // ${' '.repeat(5000)}`)
  const config = configOf(identity.issuer, webRoot, given)
  let gateway: Gateway | undefined
  const service = await testService(
    (deps) => {
      gateway = createGateway({
        ...deps,
        clock: clock ?? ports.clock,
        bus: ports.bus,
        kv: kv(ports.kv),
        logger: logger(deps.logger),
        config,
      })
      return gateway.service
    },
    { calls: services },
  )
  if (!gateway) throw new Error('no gateway')
  const app = await gateway.publicApp()
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const base = `http://127.0.0.1:${port}`
  const visitor = (): Browser => createBrowser(base)
  return {
    base,
    port,
    config,
    app,
    identity,
    service,
    emit: ports.emit,
    kv: ports.kv,
    clock: ports.clock,
    visitor,
    runJob: async (name: string): Promise<void> => {
      const job = service.service.jobs?.find((one) => one.name === name)
      if (!job) throw new Error(`no job ${name}`)
      await job.run(new AbortController().signal)
    },
    signIn: async (claims: Claims = ADA): Promise<Browser> => {
      const browser = visitor()
      const answer = await signIn(browser, identity, claims)
      if (answer.headers.get('location') !== '/')
        throw new Error(`not signed in: ${answer.headers.get('location')}`)
      return browser
    },
    operator: async (): Promise<Browser> => {
      const browser = visitor()
      await signIn(browser, identity, OPERATOR)
      const answer = await browser.post('/api/operator/unlock', { password: PASSWORD })
      if (answer.status !== 204) throw new Error(`not unlocked: ${await answer.text()}`)
      return browser
    },
    [Symbol.asyncDispose]: async () => {
      await app.close()
      await identity.stop()
      await service[Symbol.asyncDispose]()
      await ports[Symbol.asyncDispose]()
      rmSync(webRoot, { recursive: true })
    },
  }
}

export type TestGateway = Awaited<ReturnType<typeof startGateway>>

/** Goes the way of a browser: to the provider, agrees there, comes back. */
export async function signIn(
  browser: Browser,
  identity: TestGateway['identity'],
  claims: Claims,
  query = '',
): Promise<Response> {
  const login = await browser.get(`/api/auth/login${query}`)
  return browser.get(identity.agree(login.headers.get('location') ?? '', claims))
}

export interface Browser {
  readonly cookies: Map<string, string>
  send(path: string, init?: RequestInit & { duplex?: 'half' }): Promise<Response>
  get(path: string, headers?: Record<string, string>): Promise<Response>
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>
}

function createBrowser(base: string): Browser {
  const cookies = new Map<string, string>()
  const send: Browser['send'] = async (path, init = {}) => {
    const headers = new Headers(init.headers)
    if (cookies.size > 0)
      headers.set('cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '))
    const answer = await fetch(base + path, { redirect: 'manual', ...init, headers })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/max-age=0|expires=thu, 01 jan 1970/i.test(line)) cookies.delete(name)
      else cookies.set(name, value)
    }
    return answer
  }
  return {
    cookies,
    send,
    get: (path, headers = {}) => send(path, { headers }),
    post: (path, body, headers = {}) =>
      send(path, {
        method: 'POST',
        headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
  }
}

/** Cheaper to check than those that are made today. */
const PASSWORD_HASH = 'scrypt$4096$8$1$AAECAwQFBgcICQoLDA0ODw$OBUE_ueV32dvdZg_GlRZ5ReNyiSoZCzM3GUlhgyCSTs'

/** A clock that stands, so that all of a test lies in one window of a limit; `at` sets it. */
export function standingClock(now: number): Clock & { at(ms: number): void } {
  return { ...systemClock, now: () => now, at: (ms) => void (now = ms) }
}

function configOf(issuer: string, webRoot: string, given: Partial<GatewayConfig>): GatewayConfig {
  return Object.freeze({
    publicUrl: PUBLIC_URL,
    brandName: 'Prelude <3',
    supportEmail: 'help@example.org',
    operatorEmail: 'boss@example.org',
    securityContact: null,
    operatorUid: uidOf(OPERATOR),
    operatorPasswordHash: PASSWORD_HASH,
    oidc: { issuer, publicIssuer: null, clientId: 'prelude', clientSecret: 'secret', providerName: PROVIDER },
    oidcTrustEmails: false,
    bank: { bankName: 'First Bank', accountName: 'Prelude Ltd', accountNumber: '0123456789', note: 'thanks' },
    generator: false,
    legal: { terms: null, privacy: null, imprint: null },
    terms: { changesIncluded: 2, changesDays: 5, messagesDays: 7 },
    rateLimits: false,
    confirmAboveCents: 100_000,
    trustedCountryHeader: 'x-country',
    trustedProxyHops: 0,
    webRoot,
    blobsPublicUrl: null,
    ...given,
  })
}
