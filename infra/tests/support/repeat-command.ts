/** The command that runs a test file again with the random choices of this run. */
export const repeatCommand = (seed: number, config: string, file: string): string =>
  `SEED=${seed} npx vitest run ${config === 'vitest.config.ts' ? '' : `--config ${config} `}${file}`
