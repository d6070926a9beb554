import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runTool } from '../../native/installed.ts'
import { KINDS, OLDEST, SCHEMAS_FOLDER } from '../k8s/tools.ts'
import { fill } from './cache.ts'

const SCHEMAS = '1.37.0'

/** Errors: ServerMissing. */
export const installKubernetesSchemas = (): Promise<void> => fill(SCHEMAS_FOLDER, fetchSchemas)

/**
 * Fetches Kubernetes' own schemas from the Python package kubernetes-validate: kubeconform would fetch them one by one from
 * a repository's raw pages. Each is written together with the definitions it refers to.
 */
async function fetchSchemas(folder: string): Promise<void> {
  const wheel = `kubernetes_validate-${SCHEMAS}-py3-none-any.whl`
  const wanted = `kubernetes-validate==${SCHEMAS}`
  await runTool('python3', ['-m', 'pip', 'download', '--quiet', '--no-deps', '--dest', folder, wanted])
  const unpacked = join(folder, 'unpacked')
  await mkdir(unpacked)
  await runTool('python3', ['-m', 'zipfile', '--extract', join(folder, wheel), unpacked])
  const from = join(unpacked, `kubernetes_validate/kubernetes-json-schema/v${OLDEST}-local-strict`)
  const read = async (name: string) =>
    selfContained(JSON.parse(await readFile(join(from, `${name}.json`), 'utf8'))) as Record<string, unknown>
  const { $defs } = await read('_definitions')
  for (const kind of KINDS) {
    const schema = await read(kind)
    const own = referredTo(schema, $defs as Readonly<Record<string, unknown>>)
    await writeFile(join(folder, `${kind}.json`), JSON.stringify({ ...schema, $defs: own }))
  }
  await rm(unpacked, { recursive: true })
  await rm(join(folder, wheel))
}

/** The definitions that a schema refers to, directly or by others: all of them take seconds to compile. */
function referredTo(schema: unknown, all: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const found: Record<string, unknown> = {}
  const follow = (node: unknown): void => {
    for (const [, name = ''] of JSON.stringify(node).matchAll(/"\$ref":"#\/\$defs\/([^"]+)"/g)) {
      if (name in found) continue
      found[name] = all[name]
      follow(all[name])
    }
  }
  follow(schema)
  return found
}

/** Replaces references to another file by references into the same one. */
function selfContained(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(selfContained)
  if (typeof schema !== 'object' || schema === null) return schema
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([name]) => name !== '$id')
      .map(([name, value]) => [name, name === '$ref' ? ownRef(value) : selfContained(value)]),
  )
}

/** A property may be named $ref too: then its value is a schema. */
const ownRef = (value: unknown): unknown =>
  typeof value === 'string' ? value.replace(/^[^#]*#/, '#') : selfContained(value)
