import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CORPUS } from './corpus.ts'

/** `node write-corpus.ts <folder>`: the hostile files, for a look at them with other tools too. */
const folder = process.argv[2]
if (!folder) throw new Error('usage: node write-corpus.ts <folder>')
for (const { name, make } of CORPUS) writeFileSync(join(folder, name), make())
