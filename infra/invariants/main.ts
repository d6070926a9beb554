import { command } from '../embedded/command.ts'
import { checkInvariants } from './check.ts'

/**
 * `make check-invariants`: money and event invariants over all schemas, on the running product or, when it is stopped,
 * on its data. Prints each with the number of breaches; exit code 1 when there is any.
 */
await command(async (adminUrl) => {
  const findings = await checkInvariants(adminUrl)
  for (const { name, breaches, sample } of findings) {
    process.stdout.write(
      breaches === 0 ? `ok     ${name}\n` : `BREACH ${name}: ${breaches}, e.g. ${JSON.stringify(sample)}\n`,
    )
  }
  const broken = findings.filter(({ breaches }) => breaches > 0).length
  process.stdout.write(`${findings.length} invariants checked, ${broken} broken\n`)
  return broken === 0
})
