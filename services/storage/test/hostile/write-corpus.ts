import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CORPUS } from './corpus.ts'

/** `node write-corpus.ts <folder> [name…]`: all hostile files, or those with these names, for a look at them with other tools too. */
const [folder, ...names] = process.argv.slice(2)
if (folder === undefined) throw new Error('usage: node write-corpus.ts <folder> [name…]')
for (const { name, make } of CORPUS)
  if (names.length === 0 || names.includes(name)) writeFileSync(join(folder, name), make())
