import type { Mutant } from './mutant.ts'

const PROOF = 'services/platform/src/http/calls/proof.ts'
const CALLS = 'services/platform/test/calls.test.ts'

/** Bugs in how services prove who they are. */
export const trustMutants: readonly Mutant[] = [
  {
    name: 'calls: anybody who reaches the port may call',
    edits: [
      {
        file: PROOF,
        from: 'service === undefined || !identity.callKeys(service).some(isProven)',
        to: 'service === undefined || isProven === undefined',
      },
    ],
    red: { [CALLS]: ['calls over HTTP: a service cannot call as another one'] },
  },
  {
    name: 'calls: a proof holds for ever',
    edits: [
      { file: PROOF, from: 'Math.abs(now - Number(at)) >= LIFETIME_MS', to: 'Number.isNaN(Number(at))' },
    ],
    red: { [CALLS]: ['calls over HTTP: a call signed by a clock that is off'] },
  },
  {
    name: 'calls: notifier may change balances',
    edits: [
      {
        file: 'services/contracts/src/api/credits.ts',
        from: `path: '/adjustments/:id',`,
        to: `path: '/adjustments/:id', callers: ['notifier'],`,
      },
    ],
    red: { 'services/contracts/test/callers.test.ts': ['services call each other only to read'] },
  },
  {
    name: 'calls: a proof holds for any body',
    edits: [
      { file: PROOF, from: 'digest !== STREAM && !equal(digest, digestOf(body))', to: 'digest === NO_BODY' },
    ],
    red: { [CALLS]: ['calls over HTTP: a proof does not hold for another body'] },
  },
  {
    name: 'calls: a change is taken as often as it is sent',
    edits: [{ file: PROOF, from: 'if (until.has(mac)) return false', to: '' }],
    red: { [CALLS]: ['calls in the process: a call that changes something is taken once'] },
  },
  {
    name: 'calls: every service may call every operation',
    edits: [
      {
        file: 'services/platform/src/http/internal-app.ts',
        from: `caller !== 'gateway' && !callers.includes(caller)`,
        to: 'callers.length > 9',
      },
    ],
    red: { [CALLS]: ['calls over HTTP: an operation accepts the gateway and the callers that it names'] },
  },
  {
    name: 'events: a message needs no signature',
    edits: [
      {
        file: 'services/platform/src/events/kafka/kafka-consumer.ts',
        from: '(await isSigned(identity, topic, { key, value, signature: header }))',
        to: 'typeof isSigned === "function"',
      },
    ],
    red: { 'services/platform/test/kafka.test.ts': ['a message is an event where the service'] },
  },
  {
    name: 'events: any service may sign for another',
    edits: [
      {
        file: 'services/platform/src/identity.ts',
        from: 'for (const { ed25519 } of keysOf(other))',
        to: 'for (const { ed25519 } of publicKeys)',
      },
    ],
    red: {
      'services/platform/test/identity.test.ts': ['a message is signed by the service that owns its topic'],
    },
  },
  {
    name: 'events: a replay handles a forged message',
    edits: [
      {
        file: 'services/platform/src/events/replay.ts',
        from: 'letter.position === null || !isEvent(message)',
        to: '!isEvent(message)',
      },
    ],
    red: {
      'services/platform/test/consumer.test.ts': ['a message that its service did not sign has no effect'],
    },
  },
]
