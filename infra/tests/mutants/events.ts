import type { Mutant } from './mutant.ts'

/** Bugs in the core of events, and in what must happen once. */
export const eventsMutants: readonly Mutant[] = [
  {
    name: 'append: a position is drawn before the transaction has its id',
    edits: [
      {
        file: 'services/platform/src/events/migrations/0001-events.sql',
        from: '  perform pg_current_xact_id();\n',
        to: '',
      },
    ],
    red: {
      'services/platform/test/log-reader.test.ts': ['a transaction has its id before it draws a position'],
    },
  },
  {
    name: 'append: the events of a transaction get their positions in any order',
    edits: [
      {
        file: 'services/platform/src/events/migrations/0001-events.sql',
        from: 'order by place;',
        to: 'order by place desc;',
      },
    ],
    red: { 'services/platform/test/log-reader.test.ts': ['events that are appended together'] },
  },
  {
    name: 'forwarder: the cursor moves though the broker has not acknowledged',
    edits: [
      {
        file: 'services/platform/src/events/kafka/forwarder.ts',
        from: 'await send(topic, events)',
        to: 'void send(topic, events).catch(() => {})',
      },
    ],
    red: { 'services/platform/test/forwarder.test.ts': ['the cursor stays before'] },
  },
  {
    name: 'reader: holes are skipped',
    edits: [
      {
        file: 'services/platform/src/events/log-reader.ts',
        from: 'if (position !== end + 1 && position > settled) return true',
        to: '',
      },
    ],
    red: {
      'services/platform/test/log-reader.test.ts': ['a lower position that commits later is waited for'],
      'services/platform/test/bus.test.ts': ['event log: a transaction that hangs with a drawn position'],
    },
  },
  {
    name: 'reader: the bound is the id after the last completed transaction, beyond which open ones can lie',
    edits: [
      {
        file: 'services/platform/src/events/log-reader.ts',
        from: `'select pg_current_xact_id()::text::bigint as xid'`,
        to: `'select pg_snapshot_xmax(pg_current_snapshot())::text::bigint as xid'`,
      },
    ],
    red: {
      'services/platform/test/log-reader.test.ts': ['a lower position that commits later is waited for'],
    },
  },
  {
    name: 'log: old events are removed before their consumers have handled them',
    edits: [
      {
        file: 'services/platform/src/events/migrations/0002-remove-events-by-time.sql',
        from: '\n      and (passed is null or e.position <= passed)',
        to: '',
      },
    ],
    red: {
      'services/platform/test/remove-old-events.test.ts': [
        'an event stays until the forwarder has sent it',
        'an event stays until each consumer',
      ],
    },
  },
  {
    name: 'a transaction fails with whichever error is awaited first, so that a time-out is taken for a fault of the event',
    edits: [
      {
        file: 'services/platform/src/database/database.ts',
        from: 'throw failure',
        to: 'throw error',
      },
    ],
    red: {
      'services/platform/test/database.test.ts': ['the error of a transaction is its first one'],
    },
  },
  {
    name: 'consumer: the cursor moves outside of the transaction of the effects',
    edits: [
      {
        file: 'services/platform/src/events/attempt.ts',
        from: 'moveCursor(tx, partition, move),',
        to: 'moveCursor(db, partition, move),',
      },
    ],
    red: { 'services/platform/test/events.test.ts': ['event log: a poisoned event among many'] },
  },
  {
    name: 'consumer: a message that the cursor has passed is handled again',
    edits: [
      {
        file: 'services/platform/src/events/consumer.ts',
        from: 'if (message.position <= reached) continue',
        to: '',
      },
    ],
    red: { 'services/platform/test/consumer.test.ts': ['a message that comes again'] },
  },
  {
    name: 'consumer: a cursor that another consumer has moved is moved on all the same',
    edits: [
      {
        file: 'services/platform/src/events/cursor.ts',
        from: 'if (rowCount !== 1) throw',
        to: 'if (rowCount > 1) throw',
      },
    ],
    red: {
      'services/platform/test/events.test.ts': [
        'event log: events that are forwarded again, or handled by two instances',
      ],
    },
  },
  {
    name: 'consumer: later events of a parked key are handled',
    edits: [
      {
        file: 'services/platform/src/events/attempt.ts',
        from: 'relevant.filter(({ key }) => !parked.has(key))',
        to: 'relevant',
      },
    ],
    red: {
      'services/platform/test/events.test.ts': ['event log: an event that cannot be handled parks its key'],
    },
  },
  {
    name: 'consumer: a statement that takes too long is taken for an outage, and holds up the topic for ever',
    edits: [
      {
        file: 'services/platform/src/events/retry.ts',
        from: `error.kind === 'unavailable' && !(error instanceof TimedOut)`,
        to: `error.kind === 'unavailable'`,
      },
    ],
    red: { 'services/platform/test/events.test.ts': ['event log: a statement that takes too long'] },
  },
  {
    name: 'a repeated request runs again while the first one runs',
    edits: [
      {
        file: 'gateway/src/store/idempotency-keys.ts',
        from: `if (known.status === null) return { state: 'running' }`,
        to: `if (known.status === null) return { state: 'run', resourceId: newId(), attempt }`,
      },
    ],
    red: { 'gateway/test/once.test.ts': ['a repeat while the first one still runs'] },
  },
  {
    name: 'a song that is held for a refund can be fulfilled',
    edits: [
      {
        file: 'services/songs/src/domain/song.ts',
        from: `if (song.charge === 'deciding' || song.refundHeld) throw`,
        to: `if (song.charge === 'deciding') throw`,
      },
    ],
    red: { 'services/songs/test/songs.test.ts': ['a song held for a refund cannot be fulfilled'] },
  },
  {
    name: 'a decline that comes late takes the charge away',
    edits: [
      {
        file: 'services/songs/src/domain/song.ts',
        from: `  if (FORWARD.indexOf(charge) <= FORWARD.indexOf(song.charge)) return song\n`,
        to: '',
      },
    ],
    red: { 'services/songs/test/song-state.test.ts': ['a decline that comes after the charge'] },
  },
]
