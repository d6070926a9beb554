import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, readlink, symlink } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '../../..')

/** Copies what is in the repository, with its packages. */
export async function copyCheckout(copy: string): Promise<void> {
  await copySources(copy)
  await linkPackages(copy)
}

/** The files of the source tree as they are now, committed or not; without pictures. */
export async function copySources(copy: string): Promise<void> {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
  })
  for (const file of listed
    .toString()
    .split('\0')
    .filter((name) => name !== '' && !name.startsWith('docs/pictures/'))) {
    await mkdir(dirname(join(copy, file)), { recursive: true })
    await cp(join(ROOT, file), join(copy, file)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error // removed, but not yet from the index
    })
  }
}

/** Gives a copy of this checkout its packages, by links: those of its workspaces lead into the copy. */
export async function linkPackages(copy: string): Promise<void> {
  const [from, to] = [join(ROOT, 'node_modules'), join(copy, 'node_modules')]
  await mkdir(join(to, '@prelude'), { recursive: true })
  // what begins with a dot is written to
  const packages = (await readdir(from)).filter((name) => name !== '@prelude' && !/^\.(?!bin$)/.test(name))
  for (const name of packages) await symlink(join(from, name), join(to, name))
  for (const name of await readdir(join(from, '@prelude'))) {
    const workspace = await readlink(join(from, '@prelude', name))
    await symlink(workspace, join(to, '@prelude', name))
    // other versions than the root has
    const own = join('@prelude', workspace, 'node_modules')
    if (existsSync(join(from, own))) await symlink(join(from, own), join(to, own))
  }
}
