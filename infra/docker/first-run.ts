import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { personUid } from '@prelude/gateway'
import { TRIAL } from '@prelude/platform'
import { writeEndpoints } from '../embedded/endpoints.ts'
import { STAND_IN_OPERATOR, STAND_IN_PROVIDER } from '../embedded/outside-parties.ts'
import { subjectOf } from '../stand-ins/identity/index.ts'
import { makeSecrets } from './secrets.ts'

/**
 * First step of `make containers`: generates the secrets and the settings (.env) that docker-compose.yml needs. Existing
 * files are kept, so it may run before every start.
 */

const ROOT = resolve(import.meta.dirname, '../..')
const SECRETS = join(import.meta.dirname, 'secrets')

const settings = (
  port: number,
): string => `# Settings of docker-compose.yml, made once: change them here, then \`docker compose up -d --wait\`.
# More settings: .env.example, docs/operations/deploy.md. Secrets are in infra/docker/secrets.

PORT=${port}

# Stand-ins for outside parties. Real ones: docs/operations/deploy.md, "Going to production".
COMPOSE_PROFILES=stand-ins
LISTEN=127.0.0.1
IDENTITY_PORT=${port + 1}
CHECKOUT_PORT=${port + 2}
MAILBOX_PORT=${port + 3}
OIDC_ISSUER=http://identity:8081
OIDC_PUBLIC_ISSUER=http://localhost:${port + 1}
OIDC_PROVIDER_NAME=${STAND_IN_PROVIDER}
OIDC_CLIENT_ID=prelude
STRIPE_API_URL=http://checkout:8082
OPERATOR_UID=${personUid(STAND_IN_PROVIDER, subjectOf(STAND_IN_OPERATOR))}

# Of a first try: refused together with anything real.
${Object.entries(TRIAL)
  .map(([name, value]) => `${name}=${value}`)
  .join('\n')}
`

// mounted into the gateway: Docker would make it for root
await mkdir(join(import.meta.dirname, 'legal'), { recursive: true })
const secrets = await makeSecrets(SECRETS, process.env)
const port = Number(process.env['PORT'] || 8080)
const at = (offset: number): string => `http://localhost:${port + offset}`
const isNew = await writeFile(join(ROOT, '.env'), settings(port), { flag: 'wx', mode: 0o600 }).then(
  () => true,
  (error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') return false
    throw error
  },
)
if (isNew) {
  const operator = { email: STAND_IN_OPERATOR, password: secrets['operator-password'] ?? '' }
  const endpoints = {
    web: at(0),
    identity: at(1),
    checkout: at(2),
    mailbox: at(3),
    health: {},
    operator,
    pid: 0,
  }
  await writeEndpoints(SECRETS, endpoints)
  process.stdout.write(`Prelude will be at ${at(0)}
  operator: sign in as ${operator.email}, admin password ${operator.password}
  mail: ${at(3)}
  settings: .env, secrets: infra/docker/secrets
`)
}
