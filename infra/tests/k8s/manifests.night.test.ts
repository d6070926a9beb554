import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { POOL_SIZE, writeSetting } from '@prelude/platform'
import { SENT_BY_THE_PRODUCT, WATCHDOG } from '../../observability/alertmanager.ts'
import { WITH_FINDINGS } from '../../cli/command.ts'
import { namesOf, PROGRAMS, SERVICES } from '../support/programs.ts'
import { type ApiServer, startApiServer } from './api-server.ts'
import { BACKUP, COMMANDS, K8S, type Manifest, type Pod, render, workloadsOf } from './rendered.ts'

/** Kinds of the Prometheus operator, whose definitions no package registry has. promtool checks the rules, tests below the others. */
const OF_THE_OPERATOR = ['PodMonitor', 'PrometheusRule', 'AlertmanagerConfig']

interface Route {
  readonly receiver: string
  readonly matchers: readonly Readonly<Record<'name' | 'matchType' | 'value', string>>[]
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

/** Set in the image, only for stand-ins, or optional beside what the cluster has: set by an overlay that wants them. */
const NOT_IN_CLUSTER =
  /^(WEB_ROOT|PUBLIC_HOST|MONITOR_DATABASE_URL|TLS_CERT|TLS_KEY|STRIPE_API_URL|OIDC_PUBLIC_ISSUER|PUSH_LOOPBACK)$/

const OPERATIONS = resolve(K8S, '../../docs/operations')
const growth = readFileSync(`${OPERATIONS}/growth.md`, 'utf8')

/** The pool, the connection that holds the forwarder's lock, and one that listens. */
const CONNECTIONS_OF_AN_INSTANCE = POOL_SIZE + 2

/** `prepare`, the auditor, an operator, and those that PostgreSQL keeps for its owner. */
const CONNECTIONS_OF_OTHERS = 20

const { tools, manifests } = await render()

describe.skipIf(tools === null)('the Kubernetes manifests', () => {
  const workloads = workloadsOf(manifests.complete)
  const podOf = (name: string) => workloads.find(({ metadata }) => metadata.name === name)!.spec.template.spec
  const ofKind = (kind: string): Manifest[] => manifests.complete.filter((one) => one.kind === kind)

  describe('in a real API server', () => {
    let dir = ''
    let server: ApiServer
    const refused = async (objects: readonly Manifest[]): Promise<string[]> => {
      const answers: string[] = []
      for (const one of objects)
        answers.push(`${one.kind} ${one.metadata.name}: ${(await server.create(one)) ?? 'created'}`)
      return answers.filter((answer) => !answer.endsWith(': created'))
    }
    const podsOf = (all: readonly Manifest[]): Manifest[] =>
      all.map(({ metadata, spec }) => ({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { ...metadata, labels: spec.template.metadata.labels },
        spec: {
          ...(spec.template.spec as unknown as Manifest['spec']),
          // a StatefulSet adds the volumes of its claims
          volumes: [
            ...spec.template.spec.volumes,
            ...(spec.volumeClaimTemplates ?? []).map(({ metadata: { name } }) => ({ name })),
          ],
        },
      }))

    beforeAll(async () => {
      dir = await mkdtemp(join(tmpdir(), 'prelude-kubernetes-'))
      server = await startApiServer(tools!.apiServer, dir)
      await server.create(ofKind('Namespace')[0]!)
    })
    afterAll(async () => {
      await server.stop()
      await rm(dir, { recursive: true })
    })

    test('every object is accepted, and has no field that is not known', async () => {
      const objects = [...manifests.complete, ...manifests.secrets].filter(
        ({ kind }) => kind !== 'Namespace' && !OF_THE_OPERATOR.includes(kind),
      )
      expect(objects.length).toBeGreaterThan(50)
      expect(await refused(objects)).toEqual([])
    })

    test('one with a field that is not known is refused', async () => {
      const [service] = ofKind('Service')
      const wrong = { ...service!, metadata: { name: 'wrong' }, spec: { ...service!.spec, port: 1 } }
      expect((await refused([wrong])).join()).toContain('unknown field "spec.port"')
    })

    test('every pod is admitted to the namespace, which demands the restricted profile', async () => {
      const pods = podsOf(workloads)
      expect(await refused(pods)).toEqual([])
      const asRoot = {
        ...pods[0]!,
        metadata: { name: 'as-root' },
        spec: { ...pods[0]!.spec, securityContext: {} },
      }
      expect((await refused([asRoot])).join()).toContain('violates PodSecurity "restricted')
    })
  })

  test('every service is deployed, confined, with resource requests and a memory limit', () => {
    expect(workloads.map(({ metadata }) => metadata.name).toSorted()).toEqual(
      [...Object.keys(PROGRAMS), ...Object.keys(COMMANDS), 'backup'].toSorted(),
    )
    for (const { spec, metadata } of workloads) {
      const { containers, automountServiceAccountToken, securityContext } = spec.template.spec
      expect(automountServiceAccountToken).toBe(false)
      expect(securityContext).toMatchObject({ fsGroup: 1000, fsGroupChangePolicy: 'OnRootMismatch' })
      for (const { resources, securityContext: own, command } of containers) {
        const main = PROGRAMS[metadata.name]?.main
        expect(command.slice(0, 2)).toEqual(main === undefined ? ['prelude', metadata.name] : ['node', main])
        expect(own).toMatchObject({ readOnlyRootFilesystem: true })
        expect(Object.keys(resources.requests)).toEqual(['cpu', 'memory'])
        expect(resources.limits).toHaveProperty('memory')
      }
    }
  })

  test.for(Object.keys(SERVICES))(
    '%s gets requests once it is ready and its schema is migrated, restarts when it hangs, and is spread over zones',
    (service) => {
      const pod = podOf(service)
      const probes = (['startupProbe', 'livenessProbe', 'readinessProbe'] as const).map(
        (probe) => pod.containers[0]?.[probe]?.httpGet,
      )
      const alive = { path: '/healthz', port: 'internal' }
      // the gateway's landing page needs no session store, which /readyz asks for too
      const ready =
        service === 'gateway' ? { path: '/healthz', port: 'public' } : { path: '/readyz', port: 'internal' }
      expect(probes).toMatchObject([alive, alive, ready])
      // with ../tls the internal port has no plain HTTP, and the public one has nothing else
      expect(probes.map((probe) => probe?.scheme)).toEqual(
        probes.map((probe) => (probe?.port === 'internal' ? 'HTTPS' : undefined)),
      )
      expect(pod.topologySpreadConstraints?.map(({ topologyKey }) => topologyKey)).toEqual([
        'kubernetes.io/hostname',
        'topology.kubernetes.io/zone',
      ])
      for (const kind of ['PodDisruptionBudget', 'Service', 'HorizontalPodAutoscaler'])
        expect(ofKind(kind).map(({ metadata }) => metadata.name)).toContain(service)
    },
  )

  test('with all instances that autoscaling allows, PostgreSQL has connections left during an update', () => {
    const instances = ofKind('HorizontalPodAutoscaler').map(
      ({ spec }) => Math.ceil((spec.maxReplicas ?? 0) * 1.25), // a Deployment starts a quarter more while it is updated
    )
    expect(instances).toHaveLength(Object.keys(SERVICES).length)
    const used = instances.reduce((sum, count) => sum + count) * CONNECTIONS_OF_AN_INSTANCE
    const needed = Number(/`max_connections=(\d+)` for Kubernetes/.exec(growth)?.[1])
    expect(needed).toBeGreaterThan(used + CONNECTIONS_OF_OTHERS)
  })

  test.for(Object.keys(SERVICES))(
    '%s is scaled neither while it gets no requests nor when its instances start',
    (service) => {
      const row = new RegExp(`^\\| ${service} +\\| (\\d+)m +\\| ([\\d.]+) s +\\|$`, 'm')
      const [, idle, start] = (row.exec(growth) ?? []).map(Number)
      const { spec } = ofKind('HorizontalPodAutoscaler').find(({ metadata }) => metadata.name === service)!
      const percent = spec.metrics?.[0].resource.target.averageUtilization ?? 0
      const requested = Number(/^(\d+)m$/.exec(podOf(service).containers[0]!.resources.requests.cpu)?.[1])
      const scaledAbove = (requested * percent) / 100
      expect(scaledAbove).toBeGreaterThanOrEqual(3 * idle!)
      // all of the window is above it, or nothing happens
      const windowSeconds = spec.behavior?.scaleUp.stabilizationWindowSeconds ?? 0
      expect(scaledAbove).toBeGreaterThan(idle! + (1000 * start!) / windowSeconds)
    },
  )

  test('the monitor of the Prometheus operator finds every service, with the labels that the rules use', () => {
    const { spec } = ofKind('PodMonitor')[0] as unknown as { spec: PodMonitor }
    const selected = Object.entries(spec.selector.matchLabels)
    const [endpoint] = spec.podMetricsEndpoints
    for (const { metadata, spec: own } of workloads.filter((one) => one.metadata.name in SERVICES)) {
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

  test('the objects for the Prometheus operator have the label by which its Prometheus selects them', () => {
    const labels = manifests.complete
      .filter(({ kind }) => OF_THE_OPERATOR.includes(kind))
      .map(({ metadata }) => metadata.labels?.['release'])
    expect(labels).toEqual(OF_THE_OPERATOR.map(() => 'kube-prometheus-stack'))
  })

  test("its rules are Prometheus's, with the namespace by which an AlertmanagerConfig is asked", () => {
    const { groups } = ofKind('PrometheusRule')[0]!.spec as unknown as typeof rules
    const rules = parse(readFileSync(`${K8S}/../observability/prometheus/alerts.yml`, 'utf8')) as {
      groups: { rules: { labels: object }[] }[]
    }
    for (const { labels } of rules.groups.flatMap((group) => group.rules))
      Object.assign(labels, { namespace: 'prelude' })
    expect(groups).toEqual(rules.groups)
  })

  test('its alerts are routed as by the Alertmanager of containers', () => {
    const { spec } = ofKind('AlertmanagerConfig')[0] as unknown as { spec: { route: { routes: Route[] } } }
    const routes = spec.route.routes.map(({ receiver, matchers }) => ({
      receiver,
      matchers: matchers.map(({ name, matchType, value }) => `${name}${matchType}"${value}"`),
    }))
    expect([WATCHDOG, ...SENT_BY_THE_PRODUCT]).toMatchObject(routes)
  })

  test('every Job ends within a day', () => {
    const jobs = workloads.filter(({ spec }) => spec.template.spec.restartPolicy === 'Never')
    expect(jobs).toHaveLength(Object.keys(COMMANDS).length + 3) // prepare, auditor, backup
    expect(jobs.filter(({ spec }) => !(spec.activeDeadlineSeconds! <= 86_400))).toEqual([])
  })

  test('a backup that is complete, but has findings, is not taken again', () => {
    const { spec } = workloads.find(({ metadata }) => metadata.name === 'backup')!
    expect(spec.podFailurePolicy?.rules).toMatchObject([
      { action: 'FailJob', onExitCodes: { values: [WITH_FINDINGS] } },
    ])
  })

  test('all objects of the options are in the namespace of the rest', () => {
    const elsewhere = manifests.complete.filter(
      ({ kind, metadata }) => kind !== 'Namespace' && metadata.namespace !== 'prelude',
    )
    expect(elsewhere).toEqual([])
  })

  test('the legal texts that the settings name are mounted into the gateway', () => {
    const maps = ofKind('ConfigMap')
    const { volumes, containers } = podOf('gateway')
    const volume = volumes.find(({ name }) => name === 'legal')
    const files = maps.find(({ metadata }) => metadata.name === volume?.configMap?.name)?.data ?? {}
    const folder = containers[0]?.volumeMounts.find(({ name }) => name === 'legal')?.mountPath
    const settings = maps.find(({ metadata }) => metadata.name.startsWith('settings'))?.data ?? {}
    const named = ['TERMS_FILE', 'PRIVACY_FILE', 'IMPRINT_FILE'].map((name) => settings[name]).filter(Boolean)
    expect(named).toEqual(Object.keys(files).map((name) => `${folder}/${name}`))
    expect(named).not.toEqual([])
  })

  const named = (name: string | undefined) => {
    const found = [...manifests.complete, ...manifests.secrets].find(({ metadata }) => metadata.name === name)
    expect(found).toBeDefined()
    return { ...found?.data, ...found?.stringData }
  }

  test.for(Object.entries(PROGRAMS))(
    '%s gets what it reads, and no secret that it does not',
    ([name, program]) => {
      const { env = [], envFrom = [] } = podOf(name).containers[0]!
      const secrets = named(secretOf(podOf(name)))
      const settings = Object.assign({}, ...envFrom.map(({ configMapRef }) => named(configMapRef.name)))
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

  test('secrets are files that the user of the process may read, and in no environment', () => {
    for (const { spec } of workloads) {
      const { volumes, containers } = spec.template.spec
      expect(volumes.find(({ name }) => name === 'secrets')?.secret?.defaultMode).toBe(0o440)
      const { env, volumeMounts } = containers[0]!
      const folder = volumeMounts.find(({ name }) => name === 'secrets')?.mountPath
      expect(env).toContainEqual({ name: 'SETTINGS_DIR', value: folder })
    }
    expect(JSON.stringify(workloads)).not.toMatch(/secretRef|secretKeyRef/)
  })

  test.for(Object.keys(COMMANDS))('%s runs only when asked, with the secrets of prepare', (name) => {
    expect(workloads.find(({ metadata }) => metadata.name === name)?.spec.suspend).toBe(true)
    expect(secretOf(podOf(name))).toBe(secretOf(podOf('prepare')))
  })

  test('a backup is taken every night onto a volume, with no other secrets than two addresses to read from', () => {
    const { spec } = ofKind('CronJob').find(({ metadata }) => metadata.name === 'backup')!
    expect([spec.suspend, spec.schedule]).toEqual([undefined, '15 3 * * *'])
    const { containers, volumes } = podOf('backup')
    expect(Object.keys(named(secretOf(podOf('backup'))))).toEqual(BACKUP)
    const claim = volumes.find(({ name }) => name === 'backups')?.persistentVolumeClaim?.claimName
    expect(ofKind('PersistentVolumeClaim').map(({ metadata }) => metadata.name)).toEqual([claim])
    const folder = containers[0]?.volumeMounts.find(({ name }) => name === 'backups')?.mountPath
    expect(containers[0]?.command).toEqual(['prelude', 'backup', `--in=${folder}`, '--keep=29'])
  })

  test('the lines of the operations pages that change a Job change fields that it has', () => {
    const pages = ['run', 'backup'].map((name) => readFileSync(`${OPERATIONS}/${name}.md`, 'utf8')).join()
    const lines = [...pages.matchAll(/--from=cronjob\/(\S+) \S+ --dry-run.* -p '(\[[^']*\])'/g)]
    expect(lines.map(([, job]) => job)).toEqual(['replay', 'backup'])
    for (const [, job = '', patch = ''] of lines)
      for (const { path } of JSON.parse(patch) as { path: string }[]) {
        const start: unknown = { spec: { template: { spec: podOf(job) } } }
        const field = path
          .split('/')
          .slice(1)
          .reduce((node, key) => (node as Record<string, unknown> | undefined)?.[key], start)
        expect([job, path, field]).toEqual([job, path, expect.anything()])
        if (path.endsWith('/secretName')) expect(field).toBe(secretOf(podOf(job)))
      }
  })

  test('the settings of the base are read by a service, and only what a cluster needs differs from the defaults', () => {
    const known = Object.values(SERVICES).flatMap(({ settings }) => Object.values(settings))
    const lines = readFileSync(`${K8S}/base/settings.env`, 'utf8').matchAll(/^([A-Z_]+)=(.*)$/gm)
    const different = [...lines].filter(([, name, value = '']) => {
      const setting = known.find(({ env }) => env === name)
      expect(setting).toBeDefined()
      if (value !== '') setting?.parse(value)
      return value !== '' && 'fallback' in setting! && value !== writeSetting(setting, setting.fallback)
    })
    expect(different.map(([line]) => line)).toEqual([
      'HOST=0.0.0.0',
      'STORAGE_READS_URL=http://storage-reads:9000',
      'TRUSTED_PROXY_HOPS=1',
      'RUNS_IN=kubernetes',
    ])
  })
})

const secretOf = ({ volumes }: Pod): string | undefined =>
  volumes.find(({ name }) => name === 'secrets')?.secret?.secretName
