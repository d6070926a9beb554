/**
 * Links node_modules/.bin/node to the Node that npm brought for this platform, so that `npm run` uses it. npm 11 makes
 * the link itself; npm 10 takes it away again together with the packages of the other platforms, which carry a program
 * of the same name. Runs on whatever Node the machine has.
 */
import { existsSync, mkdirSync, readdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const NEEDED = 24
const modules = fileURLToPath(new URL('../node_modules', import.meta.url))
const platform = new RegExp(`^node(-bin)?-${process.platform}-${process.arch}$`)
const bundled = readdirSync(modules).find(
  (name) => platform.test(name) && existsSync(join(modules, name, 'bin', 'node')),
)

if (bundled !== undefined) link(join('..', bundled, 'bin', 'node'), join(modules, '.bin', 'node'))
else if (process.platform !== 'win32' && Number.parseInt(process.versions.node, 10) < NEEDED) {
  process.stderr.write(
    `Prelude needs Node ${NEEDED}, and npm has none for ${process.platform} on ${process.arch}.\n`,
  )
  process.exit(1)
}

/**
 * @param {string} target
 * @param {string} path
 */
function link(target, path) {
  try {
    if (readlinkSync(path) === target) return
  } catch {
    // There is none yet.
  }
  mkdirSync(join(modules, '.bin'), { recursive: true })
  rmSync(path, { force: true })
  symlinkSync(target, path)
}
