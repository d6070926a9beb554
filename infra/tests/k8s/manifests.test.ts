import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { ServerMissing } from '../../native/server-missing.ts'
import { MAINS, neededSettings } from '../support/needed-settings.ts'
import { obtainTools, type Tools } from './tools.ts'

const K8S = resolve(import.meta.dirname, '../../k8s')
const SECRETS = `${K8S}/secrets.example.yaml`
const FETCH_WITHIN_MS = 10 * 60_000

interface Container {
  readonly name: string
  readonly image: string
  readonly command: readonly string[]
  readonly env?: readonly { readonly name: string }[]
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[]
  readonly envFrom: readonly {
    readonly configMapRef?: { readonly name: string }
    readonly secretRef?: { readonly name: string }
  }[]
  readonly resources: { readonly requests: object; readonly limits: object }
  readonly securityContext: object
  readonly livenessProbe?: unknown
  readonly readinessProbe?: unknown
  readonly startupProbe?: unknown
}

interface PodSelector {
  readonly matchLabels?: Readonly<Record<string, string>>
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
    readonly template: {
      readonly spec: {
        readonly containers: readonly Container[]
        readonly volumes: readonly { readonly name: string; readonly configMap?: { readonly name: string } }[]
        readonly automountServiceAccountToken: boolean
        readonly securityContext: object
      }
    }
  }
}

const SERVICES = Object.keys(MAINS).filter((name) => name !== 'prepare')

/** The services that the process of a service may call, by its own main file. */
const calledBy = (service: string): string[] => {
  const source = readFileSync(resolve(K8S, '../..', MAINS[service] ?? ''), 'utf8')
  return [...(/\bcalls: \[([^\]]*)\]/.exec(source)?.[1] ?? '').matchAll(/'(\w+)'/g)].map(
    ([, name = '']) => name,
  )
}

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

  const workloads = (folder = 'example') =>
    manifestsIn(rendered[folder] ?? '').filter(({ kind }) =>
      ['Deployment', 'StatefulSet', 'Job'].includes(kind),
    )
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
    ).toEqual(Object.keys(MAINS).toSorted())
    for (const { spec, metadata } of workloads()) {
      const { containers, automountServiceAccountToken, securityContext } = spec.template.spec
      expect(automountServiceAccountToken).toBe(false)
      expect(securityContext).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      })
      for (const { resources, securityContext: own, command } of containers) {
        expect(command).toEqual(['node', MAINS[metadata.name]])
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
      if (kind === 'Job') continue
      expect(Object.keys(spec.template.spec.containers[0] ?? {})).toEqual(
        expect.arrayContaining(['livenessProbe', 'readinessProbe', 'startupProbe']),
      )
      expect(named('PodDisruptionBudget')).toContain(metadata.name)
      expect(named('Service')).toContain(metadata.name)
      if (kind === 'Deployment') expect(named('HorizontalPodAutoscaler')).toContain(metadata.name)
    }
  })

  test.for(SERVICES)('the network lets in to %s the services that call it, and no others', (service) => {
    const policy = manifestsIn(rendered['example'] ?? '').find(
      ({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === `to-${service}`,
    )
    const nameIn = (pods?: PodSelector) => pods?.matchLabels?.['app.kubernetes.io/name']
    expect(nameIn(policy?.spec.podSelector)).toBe(service)
    const letIn = policy?.spec.ingress
      ?.flatMap(({ from }) => from ?? [])
      .map((one) => nameIn(one.podSelector))
    const callers = SERVICES.filter((name) => calledBy(name).includes(service))
    expect(letIn?.toSorted()).toEqual(callers.toSorted())
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

  test.for(Object.entries(MAINS))('%s gets every required setting', ([service, main]) => {
    const values: Record<string, string> = {}
    const sources = [...manifestsIn(rendered['example'] ?? ''), ...manifestsIn(rendered['secrets'] ?? '')]
    const container = workloads().find(({ metadata }) => metadata.name === service)?.spec.template.spec
      .containers[0]
    for (const { configMapRef, secretRef } of container?.envFrom ?? []) {
      const wanted = configMapRef ?? secretRef
      const found = sources.find(({ metadata }) => metadata.name === wanted?.name)
      expect(found).toMatchObject({ metadata: { name: wanted?.name } })
      Object.assign(values, found?.data, found?.stringData)
    }
    const given = [...Object.keys(values).filter((name) => values[name] !== '')]
    given.push(...(container?.env ?? []).map(({ name }) => name), 'WEB_ROOT') // set in the image
    const needed = neededSettings(main)
    expect(needed.length).toBeGreaterThan(2)
    expect(needed.filter((name) => !given.includes(name))).toEqual([])
  })
})
