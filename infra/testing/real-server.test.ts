import { expect, test } from 'vitest'
import { containerFor } from './container-server.ts'

test.for(['PostgreSQL', 'Kafka', 'Redis', 'S3'] as const)(
  'tests run %s in a container where an engine has its image',
  async (name) => {
    const found = await containerFor(name)
    if (typeof found === 'string')
      expect(found).toMatch(/^(no container engine runs|the engine has no image)/)
    else expect(found.image).toMatch(/:/)
  },
)
