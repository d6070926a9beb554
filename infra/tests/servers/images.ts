import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parse } from 'yaml'

const { services } = parse(readFileSync(resolve(import.meta.dirname, '../../docker/images.yml'), 'utf8')) as {
  services: Readonly<Record<string, { readonly image: string; readonly build?: object }>>
}

/** The images that are pulled, by the service's name in docker-compose.yml; with DIGESTS='' by their tags alone, as there. */
export const PULLED: ReadonlyMap<string, string> = new Map(
  Object.entries(services)
    .filter(([, { build }]) => build === undefined)
    .map(([name, { image }]) => [
      name,
      image.replace(/\$\{DIGESTS-(.*)\}/, (_, digest: string) => process.env['DIGESTS'] ?? digest),
    ]),
)

/** The version in the image's tag, as v1.8.0. */
export const versionOf = (service: string): string => /:(v?[\d.]+)/.exec(PULLED.get(service) ?? '')?.[1] ?? ''
