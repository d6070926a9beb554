import type { Mutant } from './mutant.ts'

const ACCESS = 'gateway/test/access.test.ts'
const SIGN_IN = 'gateway/test/sign-in.test.ts'
const SESSIONS = 'gateway/test/sessions.test.ts'
const CONVENTIONS = 'gateway/test/conventions.test.ts'
const HEADERS = 'gateway/test/headers.test.ts'
const COOKIE = 'gateway/src/plugins/session-cookie.ts'
const SESSIONS_STORE = 'gateway/src/sessions.ts'
const CALLBACK = 'gateway/src/routes/auth-callback.ts'
const CROSS_SITE = 'gateway/src/plugins/cross-site.ts'
const GUARD = 'gateway/src/plugins/access.ts'
const RULES = 'services/platform/test/rules.test.ts'
const FLAGS = { [SIGN_IN]: ['the cookie is HttpOnly and Lax; on https'] }
const OPERATOR_ROUTES = { [ACCESS]: ['every operation of the operator is refused'] }
const OWN_DATA = { [ACCESS]: ['lists, statement and archive hold data of the caller alone'] }

const inFile = (file: string, from: string, to: string): Mutant['edits'] => [{ file, from, to }]

const WHOSE_DATA: readonly Mutant[] = [
  {
    name: 'owner: a song is answered to anybody',
    edits: inFile(
      'gateway/src/routes/songs.ts',
      'song.uid !== caller.uid && !caller.isUnlocked',
      'song.uid === ""',
    ),
    red: { [CONVENTIONS]: ['people see their own songs only'] },
  },
  {
    name: 'owner: a payment is answered to anybody',
    edits: inFile(
      'gateway/src/routes/payments.ts',
      'payment.uid !== personOf(request).uid',
      'payment.uid === ""',
    ),
    red: { [ACCESS]: ["another person's payment"] },
  },
  {
    name: 'owner: a checkout session is answered to anybody',
    edits: inFile('services/payments/src/routes/get-session.ts', ' || payment.uid !== uid', ''),
    red: { 'services/payments/test/checkout.test.ts': ['the success page reads its own session only'] },
  },
  {
    name: 'owner: an archive is that of the uid in the query',
    edits: inFile(
      'gateway/src/routes/account.ts',
      `const { uid } = personOf(request)
      const user`,
      `const { uid } = { ...personOf(request), ...(request.query as object) }
      const user`,
    ),
    red: OWN_DATA,
  },
  {
    name: 'owner: payments are listed for the uid in the query',
    edits: inFile(
      'gateway/src/routes/payments.ts',
      'uid: personOf(request).uid, ...pageOf(query)',
      'uid: personOf(request).uid, ...query, ...pageOf(query)',
    ),
    red: OWN_DATA,
  },
  {
    name: 'operator: one route is open to everybody who is signed in',
    edits: inFile(
      'gateway/src/routes/operator-people.ts',
      `url: '/api/operator/debts',
    access: 'unlocked'`,
      `url: '/api/operator/debts',
    access: 'person'`,
    ),
    red: OPERATOR_ROUTES,
  },
  {
    name: 'operator: routes need no unlock',
    edits: inFile(GUARD, `route.access === 'unlocked' && !caller.isUnlocked`, 'route.summary === ""'),
    red: OPERATOR_ROUTES,
  },
  {
    name: 'operator: a call that is refused is not in the audit',
    edits: inFile(
      GUARD,
      'route.action !== undefined && caller.isOperator',
      'route.action !== undefined && caller.isUnlocked',
    ),
    red: OPERATOR_ROUTES,
  },
  {
    name: 'an idempotency key is shared by all people',
    edits: inFile('gateway/src/plugins/idempotency.ts', '{ uid: personOf(request).uid,', `{ uid: 'anybody',`),
    red: { 'gateway/test/once.test.ts': ['the same key with the same bytes'] },
  },
]

const SESSION: readonly Mutant[] = [
  {
    name: 'unlock: the session id stays valid and is unlocked too',
    edits: [
      {
        file: SESSIONS_STORE,
        from: 'await kv.set(`unlock-seen:${hash}`, String(clock.now()), UNLOCK_IDLE_MS)\n        await',
        to: 'for (const one of [from, hash]) for (const name of ["unlock", "unlock-seen"]) await kv.set(`${name}:${one}`, String(clock.now()), UNLOCK_MAX_MS)\n        await',
      },
      { file: SESSIONS_STORE, from: 'endStreams: await remove(from) }', to: 'endStreams: async () => {} }' },
    ],
    red: { [SESSIONS]: ['unlocking changes the session id'] },
  },
  {
    name: 'unlock: it does not end while it is used',
    edits: inFile(SESSIONS_STORE, 'UNLOCK_MAX_MS = 12 * 60 * MINUTE_MS', 'UNLOCK_MAX_MS = SESSION_MAX_MS'),
    red: { [SESSIONS]: ['calls every few minutes'] },
  },
  {
    name: 'unlock: it does not end while it is not used',
    edits: inFile(SESSIONS_STORE, 'UNLOCK_IDLE_MS = 30 * MINUTE_MS', 'UNLOCK_IDLE_MS = SESSION_MAX_MS'),
    red: { [SESSIONS]: ['an unlock ends after 30 minutes'] },
  },
  {
    name: 'unlock: requests of an open page keep it alive',
    edits: inFile(GUARD, 'isUnlocked(session, renewsUnlock(request))', 'isUnlocked(session, true)'),
    red: { [SESSIONS]: ['requests of a page that nobody uses'] },
  },
  {
    name: 'operator: an export of a person needs no fresh sign-in',
    edits: inFile(
      'gateway/src/routes/operator-accounts.ts',
      "guard: freshSignIn(deps),\n    refusals: ['sign_in_again', 'user_not_found', 'too_many",
      "refusals: ['sign_in_again', 'user_not_found', 'too_many",
    ),
    red: { [SESSIONS]: ['unlocking is no sign-in'] },
  },
  {
    name: 'unlock: wrong passwords are not counted',
    edits: inFile('gateway/src/operator-password.ts', 'if (tries <= TRIES) return', 'if (tries > 0) return'),
    red: { [SIGN_IN]: ['the operator unlocks one session'] },
  },
  {
    name: 'sign-out: the session lives on at the server',
    edits: inFile('gateway/src/routes/auth-logout.ts', 'if (id !== undefined) await sessions.end(id)\n', ''),
    red: { [SIGN_IN]: ['signing out ends the session on the server'] },
  },
  {
    name: 'sign-out: the draft stays in the browser',
    edits: inFile(
      'web/src/api/sign-out.ts',
      `await endSession()
    forget(uid)`,
      `await endSession()`,
    ),
    red: { 'web/test/session.test.ts': ['a sign-out removes what this browser kept'] },
  },
  {
    name: 'sign-in: a callback is good in any browser',
    edits: inFile(CALLBACK, 'if (!timingSafeEqual(given,', 'if (browser === "" && !timingSafeEqual(given,'),
    red: { [SIGN_IN]: ['a sign-in that another browser began makes no session'] },
  },
  {
    name: 'sign-in: an address that is not verified is accepted',
    edits: inFile('gateway/src/identity-provider.ts', '![true,', '![true, false,'),
    red: { [SIGN_IN]: ['an unverified address is refused'] },
  },
  {
    name: 'sign-in: the token of the identity provider is in a cookie',
    edits: [
      {
        file: 'gateway/src/identity-provider.ts',
        from: 'name: storable(',
        to: '...{ token: tokens.access_token },\n        name: storable(',
      },
      {
        file: CALLBACK,
        from: 'const cookie = sessionCookie(config)',
        to: `void reply.setCookie('token', (person as unknown as { token: string }).token)
        const cookie = sessionCookie(config)`,
      },
    ],
    red: { [SIGN_IN]: ['no token of the identity provider'] },
  },
  {
    name: 'sign-in: it leads to another site',
    edits: [
      { file: 'gateway/src/return-to.ts', from: 'url.origin !== publicUrl || ', to: '' },
      {
        file: 'gateway/src/return-to.ts',
        from: 'return `${url.pathname}${url.search}${url.hash}`',
        to: 'return wish',
      },
    ],
    red: { [SIGN_IN]: ['returnTo /\t/evil.example/ leads to /'] },
  },
]

const BROWSER: readonly Mutant[] = [
  {
    name: 'cookie: scripts can read it',
    edits: inFile(COOKIE, 'httpOnly: true', 'httpOnly: false'),
    red: FLAGS,
  },
  {
    name: 'cookie: it is sent without https',
    edits: inFile(COOKIE, `sameSite: 'lax', secure }`, `sameSite: 'lax' }`),
    red: FLAGS,
  },
  {
    name: 'cookie: it is not bound to the host',
    edits: inFile(COOKIE, `'__Host-session'`, `'session'`),
    red: FLAGS,
  },
  {
    name: 'cross-site: what the browser says of the site is ignored',
    edits: inFile(CROSS_SITE, 'if (fromElsewhere || ', 'if ('),
    red: { [CONVENTIONS]: ['{"sec-fetch-site":"cross-site"}'] },
  },
  {
    name: 'cross-site: the origin is ignored',
    edits: inFile(CROSS_SITE, ' || (headers.origin !== undefined && headers.origin !== publicUrl)', ''),
    red: { [CONVENTIONS]: ['{"origin":"https://evil.example"}'] },
  },
  {
    name: 'headers: private answers may be cached',
    edits: inFile(
      'gateway/src/plugins/security-headers.ts',
      `'cache-control', 'no-store'`,
      `'x-cache', 'no'`,
    ),
    red: { [HEADERS]: ['GET /api/songs (200) says no-store', 'an answer to a stranger is not cached'] },
  },
  {
    name: 'headers: there is no Content-Security-Policy',
    edits: inFile('gateway/src/plugins/security-headers.ts', '...response.getHeaders(),', ''),
    red: { [CONVENTIONS]: ['the policy stands in full on every page'] },
  },
  {
    name: 'live: a person may open any number of streams',
    edits: inFile('gateway/src/routes/live.ts', 'most: 10', 'most: 1000'),
    red: { 'gateway/test/live.test.ts': ['a person has ten streams at most'] },
  },
  {
    name: 'limits: a stranger says which address they have',
    edits: inFile('gateway/src/countries.ts', 'if (hops === 0) return socket\n', ''),
    red: { 'gateway/test/money-and-place.test.ts': ['{"x-forwarded-for":"102.89.1.1"} behind 0 proxies'] },
  },
]

const FILES: readonly Mutant[] = [
  {
    name: 'files: a name is written into a header as it is',
    edits: inFile(
      'services/storage/src/domain/file-name.ts',
      'attachment; filename="${safe}"',
      'attachment; filename="${name}"',
    ),
    red: { 'services/storage/test/file-name.test.ts': ['a download is named like the file'] },
  },
  {
    name: 'files: the name of an upload may hold folders',
    edits: inFile('services/storage/src/domain/file-name.ts', `.replace(/^.*[/\\\\]/s, '')`, ''),
    red: { 'services/storage/test/file-name.test.ts': ['the original name keeps its letters'] },
  },
  {
    name: 'files: an object path may leave its folder',
    edits: inFile('services/platform/src/blobs/object-path.ts', `'[A-Za-z0-9_][`, `'[A-Za-z0-9._][`),
    red: { 'services/platform/test/blobs.test.ts': ['the path "songs/../../a" is refused'] },
  },
  {
    name: 'statement: a formula is a formula in the CSV',
    edits: inFile('gateway/src/statement-csv.ts', '/^[=+\\-@\\t\\r]/.test(text)', 'text === "="'),
    red: { [CONVENTIONS]: ['the statement is decimals, and as CSV'] },
  },
]

const SETTINGS: readonly Mutant[] = [
  {
    name: 'settings: an identity provider elsewhere may be without https',
    edits: inFile(
      'services/platform/src/host/rules.ts',
      'if (issuer && !isSafe(issuer) && ',
      'if (issuer === "" && ',
    ),
    red: { [RULES]: ['settings that contradict each other'] },
  },
  {
    name: 'settings: a service alone does not look at what contradicts',
    edits: inFile(
      'services/platform/src/host/serve-alone.ts',
      'contradictions(all as object)',
      'contradictions({})',
    ),
    red: { 'infra/tests/system/alone.test.ts': ['settings that are fine by themselves'] },
  },
  {
    name: 'settings: the text of an example is taken for a secret',
    edits: inFile(
      'services/platform/src/host/config.ts',
      'text.includes(PLACEHOLDER)',
      'text === PLACEHOLDER',
    ),
    red: { [RULES]: ['a setting that still has the text of an example'] },
  },
]

/** Bugs in what docs/security.md promises to people and to the operator; those of calls and events are in trust.ts. */
export const securityMutants: readonly Mutant[] = [
  ...WHOSE_DATA,
  ...SESSION,
  ...BROWSER,
  ...FILES,
  ...SETTINGS,
]
