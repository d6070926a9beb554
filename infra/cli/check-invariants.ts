import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { optional, queryOn, readConfig, systemClock, url, withOwnerConnection } from '@prelude/platform'
import { deepCheck, storeCheck, openBlobs } from '@prelude/storage'
import { checkInvariants as checkDatabase, type Finding } from '../invariants/check.ts'
import { command, onDatabase, say } from './command.ts'

export const storeSettings = {
  blobsUrl: optional('BLOBS_URL', 'an object store elsewhere', url),
}

/**
 * Money and event invariants over all schemas and the object store, on the running product or, when it is stopped, on its
 * data. Prints each with how much it looked at and the number of breaches. `deep` also reads every audio object and compares
 * its bytes with the digest that was taken when it was placed.
 */
export const checkInvariants = command(
  'Check that money and events add up, running or stopped',
  { deep: { type: 'boolean' } },
  ({ deep = false }) =>
    onDatabase(async (adminUrl, dataDir) => {
      const findings = [
        ...(await checkDatabase(adminUrl, systemClock.now())),
        ...(await checkStore(adminUrl, dataDir, deep)),
      ]
      const width = String(Math.max(...findings.map(({ count }) => count))).length
      for (const { name, count, breaches, sample } of findings) {
        const line =
          breaches === 0
            ? `ok     ${String(count).padStart(width)}  ${name}`
            : `BREACH ${name}: ${breaches} of ${count}, e.g. ${JSON.stringify(sample)}`
        say(line)
      }
      const broken = findings.filter(({ breaches }) => breaches > 0).length
      say(`${findings.length} invariants checked, ${broken} broken`)
      return broken === 0
    }),
)

async function checkStore(adminUrl: string, dataDir: string, deep: boolean): Promise<Finding[]> {
  const { blobsUrl } = readConfig(storeSettings, process.env)
  const folder = pathToFileURL(join(dataDir, 'blobs')).href
  const blobs = openBlobs(blobsUrl ?? folder)
  return withOwnerConnection(adminUrl, async (client) => {
    await client.query('set search_path to storage')
    const db = queryOn(client)
    const { count, findings } = await storeCheck(db, blobs, systemClock)
    const found = (name: string, wrong: readonly unknown[]): Finding => ({
      name: `storage: ${name}`,
      count,
      breaches: wrong.length,
      sample: wrong[0],
    })
    const all = [found('every take lies in the store, and nothing else does', findings)]
    if (deep)
      all.push(found('every object is the one that was placed', await Array.fromAsync(deepCheck(db, blobs))))
    return all
  })
}
