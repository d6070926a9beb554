import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { POOL_SIZE, writeSetting } from '@prelude/platform'
import { ServerMissing } from '../../native/server-missing.ts'
import { namesOf, PROGRAMS, SERVICES } from '../../programs.ts'
import { obtainTools, type Tools } from './tools.ts'

const K8S = resolve(import.meta.dirname, '../../k8s')
const SECRETS = `${K8S}/secrets.example.yaml`
const FETCH_WITHIN_MS = 10 * 60_000

interface Container {
  readonly name: string
  readonly image: string
  readonly command: readonly string[]
  readonly env?: readonly { readonly name: string; readonly value: string }[]
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[]
  readonly envFrom: readonly {
    readonly configMapRef?: { readonly name: string }
    readonly secretRef?: { readonly name: string }
  }[]
  readonly ports: readonly { readonly name: string }[]
  readonly resources: { readonly requests: object; readonly limits: object }
  readonly securityContext: object
  readonly livenessProbe?: unknown
  readonly readinessProbe?: unknown
  readonly startupProbe?: unknown
}

interface PodSelector {
  readonly matchLabels?: Readonly<Record<string, string>>
}

interface PodMonitor {
  readonly selector: { readonly matchLabels: Readonly<Record<string, string>> }
  readonly jobLabel: string
  readonly podMetricsEndpoints: readonly [
    {
      readonly port: string
      readonly relabelings: readonly { readonly sourceLabels: string[]; readonly targetLabel: string }[]
    },
  ]
}

interface Manifest {
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly data?: Readonly<Record<string, string>>
  readonly stringData?: Readonly<Record<string, string>>
  readonly spec: {
    readonly selector?: unknown
    readonly podSelector?: PodSelector
    readonly ingress?: readonly { readonly from?: readonly { readonly podSelector?: PodSelector }[] }[]
    readonly jobTemplate?: { readonly spec: Pick<Manifest['spec'], 'template'> }
    readonly replicas?: number
    readonly maxReplicas?: number
    readonly template: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> }
      readonly spec: {
        readonly containers: readonly Container[]
        readonly volumes: readonly { readonly name: string; readonly configMap?: { readonly name: string } }[]
        readonly automountServiceAccountToken: boolean
        readonly securityContext: object
      }
    }
  }
}

/** Set in the image, only for stand-ins, or optional beside what the cluster has: set by an overlay that wants them. */
const NOT_IN_CLUSTER =
  /^(WEB_ROOT|PUBLIC_HOST|TLS_CERT|TLS_KEY|STRIPE_API_URL|OIDC_PUBLIC_ISSUER|PUSH_LOOPBACK|BLOBS_URL)$/

/** The pool, the connection that holds the forwarder's lock, and one that listens. */
const CONNECTIONS_OF_AN_INSTANCE = POOL_SIZE + 2
/** `prepare`, the auditor, an operator, and those that PostgreSQL keeps for its owner. */
const CONNECTIONS_OF_OTHERS = 20

const manifestsIn = (text: string): Manifest[] =>
  parseAllDocuments(text).map((document) => document.toJS() as Manifest)

const missing = await obtainTools().then(
  () => null,
  (error: unknown) => {
    if (error instanceof ServerMissing) return error.message
    throw error
  },
)
if (missing !== null)
  process.stderr.write(`\nSKIPPED: the Kubernetes manifests were not checked: ${missing}\n`)

describe.skipIf(missing !== null)('the Kubernetes manifests', () => {
  let tools: Tools
  const rendered: Record<string, string> = {}
  beforeAll(async () => {
    tools = await obtainTools()
    for (const folder of ['base', 'example'])
      rendered[folder] = execFileSync(tools.kustomize, ['build', `${K8S}/${folder}`], { encoding: 'utf8' })
    rendered['secrets'] = readFileSync(SECRETS, 'utf8')
  }, FETCH_WITHIN_MS)

  /** A CronJob as the Job that it makes. */
  const workloads = (folder = 'example') =>
    manifestsIn(rendered[folder] ?? '')
      .filter(({ kind }) => ['Deployment', 'StatefulSet', 'Job', 'CronJob'].includes(kind))
      .map(({ spec, ...one }) => ({ ...one, spec: { ...spec, ...spec.jobTemplate?.spec } }))
  const check = (text: string) =>
    spawnSync(tools.kubeconform, ['-strict', '-summary', '-schema-location', tools.schemas], {
      input: text,
      encoding: 'utf8',
    })

  test.for(['base', 'example', 'secrets'])('%s: every object matches the schemas of Kubernetes', (folder) => {
    const { status, stdout } = check(rendered[folder] ?? '')
    expect(stdout).toMatch(/Invalid: 0, Errors: 0, Skipped: 0/)
    expect(status).toBe(0)
  })

  test('a field that is not in the schemas is found', () => {
    const { status, stdout } = check((rendered['base'] ?? '').replaceAll('runAsNonRoot', 'runAsNobody'))
    expect(status).toBe(1)
    expect(stdout).toContain("additional properties 'runAsNobody' not allowed")
  })

  test('every service is deployed, confined, with resource requests and a memory limit', () => {
    expect(
      workloads()
        .map(({ metadata }) => metadata.name)
        .toSorted(),
    ).toEqual(Object.keys(PROGRAMS).toSorted())
    for (const { spec, metadata } of workloads()) {
      const { containers, automountServiceAccountToken, securityContext } = spec.template.spec
      expect(automountServiceAccountToken).toBe(false)
      expect(securityContext).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      })
      for (const { resources, securityContext: own, command } of containers) {
        expect(command.slice(0, 2)).toEqual(['node', PROGRAMS[metadata.name]?.main])
        expect(own).toMatchObject({ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true })
        expect(Object.keys(resources.requests)).toEqual(['cpu', 'memory'])
        expect(resources.limits).toHaveProperty('memory')
      }
    }
  })

  test('every service has its probes and a disruption budget', () => {
    const named = (kind: string) =>
      manifestsIn(rendered['example'] ?? '')
        .filter((one) => one.kind === kind)
        .map(({ metadata }) => metadata.name)
    for (const { kind, metadata, spec } of workloads()) {
      if (!(metadata.name in SERVICES)) continue
      expect(Object.keys(spec.template.spec.containers[0] ?? {})).toEqual(
        expect.arrayContaining(['livenessProbe', 'readinessProbe', 'startupProbe']),
      )
      expect(named('PodDisruptionBudget')).toContain(metadata.name)
      expect(named('Service')).toContain(metadata.name)
      if (kind === 'Deployment') expect(named('HorizontalPodAutoscaler')).toContain(metadata.name)
    }
  })

  test.for(Object.keys(SERVICES))(
    'the network lets in to %s the services that call it, and no others',
    (service) => {
      const policy = manifestsIn(rendered['example'] ?? '').find(
        ({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === `to-${service}`,
      )
      const nameIn = (pods?: PodSelector) => pods?.matchLabels?.['app.kubernetes.io/name']
      expect(nameIn(policy?.spec.podSelector)).toBe(service)
      const letIn = policy?.spec.ingress
        ?.flatMap(({ from }) => from ?? [])
        .map((one) => nameIn(one.podSelector))
      const callers = Object.entries(SERVICES).filter(([, { calls }]) =>
        calls.some((name) => name === service),
      )
      expect(letIn?.toSorted()).toEqual(callers.map(([name]) => name).toSorted())
    },
  )

  test('with all instances that autoscaling allows, PostgreSQL has connections left during an update', () => {
    const instances = manifestsIn(rendered['base'] ?? '').flatMap(({ kind, spec }) => {
      if (kind === 'StatefulSet') return [spec.replicas ?? 1]
      // a Deployment starts a quarter more while it is updated
      return kind === 'HorizontalPodAutoscaler' ? [Math.ceil((spec.maxReplicas ?? 0) * 1.25)] : []
    })
    expect(instances).toHaveLength(Object.keys(SERVICES).length)
    const used = instances.reduce((sum, count) => sum + count) * CONNECTIONS_OF_AN_INSTANCE
    const page = readFileSync(resolve(K8S, '../../docs/operations.md'), 'utf8')
    const needed = Number(/`max_connections=(\d+)` for Kubernetes/.exec(page)?.[1])
    expect(needed).toBeGreaterThan(used + CONNECTIONS_OF_OTHERS)
  })

  test('the monitor of the Prometheus operator finds every service, with the labels that the rules use', () => {
    const text = readFileSync(`${K8S}/monitoring/pod-monitor.yaml`, 'utf8')
    const { spec } = parseAllDocuments(text)[0]!.toJS() as { spec: PodMonitor }
    const selected = Object.entries(spec.selector.matchLabels)
    const [endpoint] = spec.podMetricsEndpoints
    for (const { metadata, spec: own } of workloads().filter((one) => one.metadata.name in SERVICES)) {
      const { labels } = own.template.metadata
      expect(Object.entries(labels)).toEqual(expect.arrayContaining(selected))
      expect(labels[spec.jobLabel]).toBe('prelude')
      expect(labels['app.kubernetes.io/name']).toBe(metadata.name)
      expect(own.template.spec.containers[0]!.ports.map(({ name }) => name)).toContain(endpoint.port)
    }
    const scraped = parseAllDocuments(
      readFileSync(`${K8S}/../observability/prometheus/kubernetes.yml`, 'utf8'),
    )[0]!.toJS() as { scrape_configs: [{ relabel_configs: Record<string, unknown>[] }] }
    const renamed = scraped.scrape_configs[0].relabel_configs.filter((one) => 'target_label' in one)
    expect(endpoint.relabelings.map((one) => [one.sourceLabels, one.targetLabel])).toEqual(
      renamed.map((one) => [one['source_labels'], one['target_label']]),
    )
  })

  test('the legal texts that the settings name are mounted into the gateway', () => {
    const maps = manifestsIn(rendered['example'] ?? '').filter(({ kind }) => kind === 'ConfigMap')
    const { volumes, containers } = workloads().find(({ metadata }) => metadata.name === 'gateway')!.spec
      .template.spec
    const volume = volumes.find(({ name }) => name === 'legal')
    const files = maps.find(({ metadata }) => metadata.name === volume?.configMap?.name)?.data ?? {}
    const folder = containers[0]?.volumeMounts.find(({ name }) => name === 'legal')?.mountPath
    const settings = maps.find(({ metadata }) => metadata.name.startsWith('settings'))?.data ?? {}
    const named = ['TERMS_FILE', 'PRIVACY_FILE', 'IMPRINT_FILE'].map((name) => settings[name]).filter(Boolean)
    expect(named).toEqual(Object.keys(files).map((name) => `${folder}/${name}`))
    expect(named).not.toEqual([])
  })

  const named = (name: string | undefined) => {
    const found = [...manifestsIn(rendered['example'] ?? ''), ...manifestsIn(rendered['secrets'] ?? '')].find(
      ({ metadata }) => metadata.name === name,
    )
    expect(found).toBeDefined()
    return { ...found?.data, ...found?.stringData }
  }

  test.for(Object.entries(PROGRAMS))(
    '%s gets what it reads, and no secret that it does not',
    ([name, program]) => {
      const pod = workloads().find(({ metadata }) => metadata.name === name)!.spec.template.spec
      const { env = [], envFrom } = pod.containers[0]!
      const secrets = Object.assign({}, ...envFrom.map(({ secretRef }) => secretRef && named(secretRef.name)))
      const settings = Object.assign({}, ...envFrom.map(({ configMapRef: ref }) => ref && named(ref.name)))
      const { all, required } = namesOf(program)
      const given = {
        ...settings,
        ...secrets,
        ...Object.fromEntries(env.map(({ name, value }) => [name, value])),
      }
      const missing = all.filter((setting) => !(setting in given) && !NOT_IN_CLUSTER.test(setting))
      expect(missing).toEqual([])
      expect(required.filter((setting) => given[setting] === '')).toEqual([])
      expect(Object.keys(secrets).filter((setting) => !all.includes(setting))).toEqual([])
      expect(Object.keys(secrets).filter((setting) => setting in settings)).toEqual([])
    },
  )

  test('the settings of the base are read by a service, and only what a cluster needs differs from the defaults', () => {
    const known = Object.values(SERVICES).flatMap(({ settings }) => Object.values(settings))
    const lines = readFileSync(`${K8S}/base/settings.env`, 'utf8').matchAll(/^([A-Z_]+)=(.*)$/gm)
    const different = [...lines].filter(([, name, value = '']) => {
      const setting = known.find(({ env }) => env === name)
      expect(setting).toBeDefined()
      if (value !== '') setting?.parse(value)
      return value !== '' && 'fallback' in setting! && value !== writeSetting(setting, setting.fallback)
    })
    expect(different.map(([line]) => line)).toEqual(['HOST=0.0.0.0', 'TRUSTED_PROXY_HOPS=1'])
  })
})
