import { appendFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { CHECKOUT, misplaced, readDotEnv } from '../embedded/dot-env.ts'
import { writeEndpoints } from '../embedded/endpoints.ts'
import { STAND_IN_OPERATOR } from '../embedded/outside-parties.ts'
import { writeDashboards } from '../observability/dashboards/main.ts'
import { GIVEN, makeSecrets } from './secrets.ts'
import { settingsToAdd } from './settings.ts'

/**
 * First step of `make containers`: generates the secrets and the settings (.env) that docker-compose.yml needs and that are
 * missing, and writes the dashboards. What is there is kept, also an empty value, so it may run before every start.
 */

const SECRETS = join(import.meta.dirname, 'secrets')

const found = readDotEnv()
const problems = misplaced(found, GIVEN)
if (problems.length > 0) {
  process.stderr.write(`${problems.join('; ')}.\n`)
  process.exit(1)
}
const port = Number(found['PORT'] || process.env['PORT'] || 8080)
const at = (offset: number): string => `http://localhost:${port + offset}`
const { missing, isTrial } = settingsToAdd(found, port)

// mounted into the gateway and Grafana: Docker would make them for root
await mkdir(join(import.meta.dirname, 'legal'), { recursive: true })
await writeDashboards()
const secrets = await makeSecrets(SECRETS, process.env)
if (missing.length > 0)
  await appendFile(
    join(CHECKOUT, '.env'),
    `
# Settings of docker-compose.yml, made once: change them here, then \`docker compose up -d --wait\`. Those of stand-ins, and what
# a trial has, become your own before production: docs/operations/deploy.md. Secrets are in infra/docker/secrets.
${missing.map(([name, value]) => `${name}=${value}`).join('\n')}
`,
    { mode: 0o600 },
  )
if (isTrial) {
  const operator = { email: STAND_IN_OPERATOR, password: secrets['operator-password'] ?? '' }
  const endpoints = {
    web: at(0),
    identity: at(1),
    checkout: at(2),
    mailbox: at(3),
    generator: at(6),
    health: {},
    operator,
    pid: 0,
  }
  await writeEndpoints(SECRETS, endpoints)
  process.stdout.write(`Prelude will be at ${at(0)}
  operator: sign in as ${operator.email}, admin password ${operator.password}
  mail: ${at(3)}
  settings: .env, secrets: infra/docker/secrets
  stop with docker compose --profile '*' down
`)
}
