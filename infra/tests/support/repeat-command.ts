/**
 * The command that runs a test file again with the random choices of this run. With the minutes of `make soak`: without them
 * it would end before the life that failed.
 */
export function repeatCommand(seed: number, config: string, file: string): string {
  const minutes = process.env['SOAK_MINUTES']
  const env = `SEED=${seed}${minutes ? ` SOAK_MINUTES=${minutes}` : ''}`
  return `${env} npx vitest run ${config === 'vitest.config.ts' ? '' : `--config ${config} `}${file}`
}
