import { type Dependency, STAND_IN_GENERATOR } from '@prelude/platform'
import { aceStep } from './ace-step.ts'
import type { Generator } from './port.ts'

/** Generator: makes music, on another machine. */
export type { Generator, GeneratorLoad } from './port.ts'

/** The stand-in of a trial in containers. */
const IN_CONTAINERS = 'http://generator:8086'

interface Settings {
  readonly generatorUrl: string | null
  readonly generatorKey: string | null
  readonly generatorOptions: Readonly<Record<string, unknown>>
}

/** Null: no generator is in use. */
export const openGenerator = ({
  generatorUrl: url,
  generatorKey,
  generatorOptions,
}: Settings): Generator | null =>
  url === null
    ? null
    : aceStep({
        url: url === STAND_IN_GENERATOR ? IN_CONTAINERS : url,
        key: generatorKey,
        options: generatorOptions,
      })

const ANSWERS_WITHIN_MS = 5_000

/** Drafts wait while it does not answer; all else goes on. */
export const generatorDependencies = (generator: Generator | null): readonly Dependency[] =>
  generator === null
    ? []
    : [
        {
          name: 'generator',
          needed: false,
          ping: async () => {
            if ((await generator.load(AbortSignal.timeout(ANSWERS_WITHIN_MS))) === null)
              throw new Error('it says nothing of its queue')
          },
        },
      ]
