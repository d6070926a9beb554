import type { Command } from './run.ts'

/** A part of the night, an hour at most: tests, or commands that count as one test each. */
export interface Part {
  readonly tests?: readonly Command[]
  readonly checks?: Readonly<Record<string, Command>>
  readonly env?: Readonly<Record<string, string>>
}

const vitest = (project: string, ...files: string[]): Command => [
  'vitest',
  'run',
  `--project=${project}`,
  ...files,
]

/** What the gate leaves out, since it takes minutes and depends little on what most changes touch. */
export const PARTS: Readonly<Record<string, Part>> = {
  product: { tests: [vitest('night', 'services/', 'gateway/', 'web/', 'tests/system', 'tests/embedded')] },
  'stand-ins': { tests: [vitest('night', 'tests/stand-ins')] },
  servers: { tests: [vitest('night', 'tests/native', 'tests/distributed')] },
  move: { tests: [vitest('night', 'tests/move')] },
  monitoring: { tests: [vitest('night', 'tests/observability')] },
  manifests: { tests: [vitest('night', 'tests/docker', 'tests/k8s')] },
  // an engine is required
  containers: { tests: [vitest('containers')] },
  engines: { tests: [vitest('engines')] },
  browser: { tests: [['playwright', 'test', '--config', 'infra/tests/e2e', '--grep', '@night']] },
  fuzz: { tests: [vitest('night', 'tests/fuzz')] },
  soak: { tests: [vitest('night', 'tests/soak')] },
  mutants: { checks: { 'planted bugs': ['node', 'infra/tests/mutants/main.ts'] } },
  drills: { tests: [vitest('faults', 'faults/drills')] },
  alarms: { tests: [vitest('faults', 'faults/alarms')] },
  shuffled: { checks: { 'the gate in random order': ['node', 'infra/tests/gate/shuffled.ts'] } },
}
