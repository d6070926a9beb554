import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { errors, type Grant, interactionPolicy, Provider } from 'oidc-provider'
import { addressOf, listen, readForm } from '../http-server.ts'
import { PAGE_HEADERS, renderPage, sendPage } from '../page.ts'
import { keptKeys, type Keys } from './keys.ts'
import { memoryAdapter } from './memory-adapter.ts'
import { failurePage, signInPage } from './pages.ts'
import { claimsOf, type Person, personOf, subjectOf } from './person.ts'

export interface IdentityOptions {
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  /** Folder of the signing and cookie keys (0600). */
  readonly dataDir: string
  /** The issuer, when the URL for browsers is not `http://host:port`. */
  readonly publicUrl?: string | undefined
  readonly client: { readonly id: string; readonly secret: string; readonly redirectUris: readonly string[] }
}

export interface Identity {
  readonly issuer: string
  readonly url: string
  stop(): Promise<void>
}

const ENDED = 'This sign-in is over or was started in another browser.'
const HOUR_SECONDS = 3600

/**
 * Starts an OpenID Connect provider at which any address can sign in. It implements the real protocol (authorization code
 * with PKCE S256, client secret by basic or post), without consent and without a session: every sign-in shows the form.
 */
export async function startIdentity(options: IdentityOptions): Promise<Identity> {
  const keys = await keptKeys(options.dataDir)
  let issuer = ''
  const server = await listen(options, (port) => {
    issuer = options.publicUrl ?? addressOf(options.host, port)
    return handler(issuer, options.client, keys)
  })
  return { issuer, url: issuer, stop: server.stop }
}

function handler(issuer: string, client: IdentityOptions['client'], keys: Keys): RequestListener {
  const people = new Map<string, Person>()
  const provider = createProvider(issuer, client, keys, people)
  const protocol = provider.callback()
  return (req, res) => {
    const page = /^\/interaction\/[\w-]+(\/cancel)?$/.exec(req.url ?? '')
    if (!page) return void protocol(req, res)
    const answer = page[1] === undefined ? signIn(provider, people, req, res) : cancel(provider, req, res)
    answer.catch((error: unknown) => {
      const ended = error instanceof errors.SessionNotFound
      sendPage(res, ended ? 400 : 500, failurePage(ended ? ENDED : 'Something went wrong here.'))
    })
  }
}

async function signIn(
  provider: Provider,
  people: Map<string, Person>,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const { params } = await provider.interactionDetails(req, res)
  const cancelUrl = `${req.url}/cancel`
  if (req.method === 'GET' || req.method === 'HEAD') return sendPage(res, 200, signInPage({ cancelUrl }))
  if (req.method !== 'POST') return void res.writeHead(405, { allow: 'GET, HEAD, POST' }).end()
  const filled = await readForm(req)
  const person = filled && personOf(filled)
  if (!person) {
    const error = 'Fill in an e-mail address, like ada@example.org.'
    return sendPage(res, 400, signInPage({ cancelUrl, error, ...(filled && { filled }) }))
  }
  const accountId = subjectOf(person.email)
  const grant: Grant = new provider.Grant({ accountId, clientId: String(params['client_id']) })
  grant.addOIDCScope('openid email profile')
  const grantId = await grant.save()
  remember(people, grantId, person)
  // the grant is the consent: there is no second page
  await provider.interactionFinished(req, res, {
    login: { accountId, remember: false },
    consent: { grantId },
  })
}

async function cancel(provider: Provider, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const result = { error: 'access_denied', error_description: 'The person cancelled' }
  await provider.interactionFinished(req, res, result, { mergeWithLastSubmission: false })
}

const MAX_PEOPLE = 10_000

/** The fields belong to one grant: two sign-ins with one address and two names do not mix. */
function remember(people: Map<string, Person>, grantId: string, person: Person): void {
  people.set(grantId, person)
  const oldest = people.keys().next().value
  if (people.size > MAX_PEOPLE && oldest !== undefined) people.delete(oldest)
}

function createProvider(
  issuer: string,
  client: IdentityOptions['client'],
  keys: Keys,
  people: ReadonlyMap<string, Person>,
): Provider {
  const provider = new Provider(issuer, {
    adapter: memoryAdapter(),
    clients: [
      {
        client_id: client.id,
        client_secret: client.secret,
        redirect_uris: [...client.redirectUris],
        grant_types: ['authorization_code'],
        response_types: ['code'],
        require_auth_time: true,
      },
    ],
    clientAuthMethods: ['client_secret_basic', 'client_secret_post'],
    scopes: ['openid', 'email', 'profile'],
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['name', 'given_name', 'picture'],
    },
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: false } },
    interactions: { policy: alwaysAsk(), url: (_ctx, interaction) => `/interaction/${interaction.uid}` },
    findAccount: (_ctx, sub, token) => ({
      accountId: sub,
      claims: () => claimsOf(sub, people.get(token && 'grantId' in token ? String(token.grantId) : '')),
    }),
    clientBasedCORS: () => false,
    renderError: (ctx, out, error) => {
      const sentence = error instanceof errors.SessionNotFound ? ENDED : (out.error_description ?? out.error)
      ctx.set(PAGE_HEADERS)
      ctx.body = renderPage(failurePage(sentence))
    },
    cookies: { keys: keys.cookies },
    jwks: { keys: [keys.signing] },
    ttl: {
      AccessToken: HOUR_SECONDS,
      AuthorizationCode: 60,
      Grant: HOUR_SECONDS,
      IdToken: HOUR_SECONDS,
      Interaction: HOUR_SECONDS,
      Session: HOUR_SECONDS,
    },
  })
  provider.use(async (ctx, next) => {
    forgetSession(ctx.req)
    await next()
    const cookies = [ctx.response.headers['set-cookie'] ?? []].flat()
    const kept = cookies.filter((cookie) => !cookie.startsWith('_session'))
    if (kept.length > 0) ctx.set('set-cookie', kept)
    else ctx.remove('set-cookie')
  })
  return provider
}

/** Without its session cookie a returning browser is a new one. */
function forgetSession(req: IncomingMessage): void {
  const cookies = req.headers.cookie?.split(/; */).filter((cookie) => !cookie.startsWith('_session'))
  if (cookies) req.headers.cookie = cookies.join('; ')
}

function alwaysAsk(): interactionPolicy.DefaultPolicy {
  const policy = interactionPolicy.base()
  const { Check } = interactionPolicy
  const check = new Check('every_time', 'End-User authentication is required', ({ oidc }) =>
    oidc.result?.login ? Check.NO_NEED_TO_PROMPT : Check.REQUEST_PROMPT,
  )
  policy.get('login')?.checks.add(check)
  return policy
}
