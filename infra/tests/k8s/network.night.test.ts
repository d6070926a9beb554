import { describe, expect, test } from 'vitest'
import { namesOf, PROGRAMS, SERVICES } from '../support/programs.ts'
import { BACKUP, COMMANDS, type Manifest, render, type Selector, workloadsOf } from './rendered.ts'

/** Addresses that the example leaves empty, or that no setting names. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  DATABASE_POOLER_URL: 'postgres://pooler.data:6432/prelude',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.tracing:4318',
  ALERT_WEBHOOK_URL: 'https://chat.example',
  STRIPE_SECRET_KEY: 'https://api.stripe.com',
  PAYSTACK_SECRET_KEY: 'https://api.paystack.co',
  VAPID_PUBLIC_KEY: 'https://push.example',
  GENERATOR_URL: 'https://gpu.example',
}

/** `prepare` reads these only for a password in them, and for the commands that run in its container. */
const NOT_CALLED: Readonly<Record<string, readonly string[]>> = { prepare: ['KV_URL', 'BLOBS_URL'] }

const PORTS: Readonly<Record<string, number>> = { https: 443, s3: 443, postgres: 5432, rediss: 6379 }

/** Of an address with one host or several; the internal ports of services have a name. */
function portsIn(address: string): (number | string)[] {
  const [, scheme = '', hosts = ''] = /^([a-z\d]+):\/\/(?:[^@/]*@)?([^/?]+)/.exec(address) ?? []
  return hosts.split(',').map((host) => {
    const port = Number(/:(\d+)$/.exec(host)?.[1] ?? PORTS[scheme])
    return port === 9000 ? 'internal' : port
  })
}

const { tools, manifests } = await render()

describe.skipIf(tools === null)('the network policies', () => {
  const policies = manifests.complete.filter(({ kind }) => kind === 'NetworkPolicy')
  const workloads = workloadsOf(manifests.complete)

  test.for(Object.keys(SERVICES))('let in to %s the services that call it, and no others', (service) => {
    const policy = policies.find(({ metadata }) => metadata.name === `to-${service}`)
    const nameIn = (pods?: Selector) => pods?.matchLabels?.['app.kubernetes.io/name']
    expect(nameIn(policy?.spec.podSelector)).toBe(service)
    const letIn = policy?.spec.ingress
      ?.flatMap(({ from }) => from ?? [])
      .map((one) => nameIn(one.podSelector))
    const callers = Object.entries(SERVICES).filter(([, { calls }]) => calls.some((name) => name === service))
    expect(letIn?.toSorted()).toEqual(callers.map(([name]) => name).toSorted())
  })

  const data = new Map(
    [...manifests.complete, ...manifests.secrets].map(({ metadata, data, stringData }) => [
      metadata.name,
      { ...data, ...stringData },
    ]),
  )

  /** The addresses among the settings that a process reads, by setting. */
  function addressesOf({ metadata: { name }, spec }: Manifest): [string, string][] {
    const { containers, volumes } = spec.template.spec
    const given = [
      ...(containers[0]?.envFrom ?? []).map(({ configMapRef }) => configMapRef.name),
      volumes.find((volume) => volume.name === 'secrets')?.secret?.secretName ?? '',
    ].flatMap((one) => Object.entries(data.get(one) ?? {}))
    const program = PROGRAMS[name]
    const read = program === undefined ? (COMMANDS[name] ?? BACKUP) : namesOf(program).all
    return given.flatMap(([setting, value]): [string, string][] => {
      if (!read.includes(setting) || NOT_CALLED[name]?.includes(setting)) return []
      const address = ELSEWHERE[setting] ?? value
      return /^[a-z\d]+:\/\//.test(address) ? [[setting, address]] : []
    })
  }

  const isSelected = (labels: Readonly<Record<string, string>>, selector: Selector = {}): boolean =>
    Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labels[key] === value) &&
    (selector.matchExpressions ?? []).every(({ key, values }) => values.includes(labels[key] ?? ''))

  test.for(workloads.map((one) => [one.metadata.name, one] as const))(
    'let %s out to every address in its settings',
    ([, one]) => {
      const { labels } = one.spec.template.metadata
      const open = policies
        .filter(({ spec }) => isSelected(labels, spec.podSelector))
        .flatMap(({ spec }) => spec.egress ?? [])
        .flatMap(({ ports }) => ports.map(({ port }) => port))
      const addresses = addressesOf(one)
      expect(addresses).not.toEqual([])
      const closed = addresses.filter(([, address]) => portsIn(address).some((port) => !open.includes(port)))
      expect(closed).toEqual([])
    },
  )

  test('know every kind of server: an address of each is among the settings', () => {
    const settings = new Set(workloads.flatMap(addressesOf).map(([setting]) => setting))
    const servers = ['DATABASE_URL', 'BUS_URL', 'KV_URL', 'BLOBS_URL', 'MAIL_URL', 'OIDC_ISSUER']
    expect([...settings]).toEqual(expect.arrayContaining([...servers, ...Object.keys(ELSEWHERE)]))
  })
})
