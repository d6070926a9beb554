import type { Mutant } from './mutants.ts'

/** Bugs in how events, requests and songs are told and heard once. */
export const eventsMutants: readonly Mutant[] = [
  {
    name: 'no inbox: an event that was handled is handled again',
    edits: [
      {
        file: 'services/platform/src/events/migrations/0001-outbox-inbox.sql',
        from: `if event_seq <= mark.seq then return 'done'; end if;`,
        to: `if event_seq <= mark.seq then return 'next'; end if;`,
      },
    ],
    red: { 'services/platform/test/events.test.ts': ['postgres bus: an event delivered twice'] },
  },
  {
    name: 'seq drawn before the lock: two transactions can draw the same number or commit out of order',
    edits: [
      {
        file: 'services/platform/src/events/migrations/0007-written-events.sql',
        from: 'on conflict (key) do update set last_seq = k.last_seq + excluded.last_seq',
        to: `on conflict (key) do update set last_seq = (select o.last_seq from outbox_key o where o.key = excluded.key) + excluded.last_seq`,
      },
    ],
    red: { 'services/platform/test/outbox.test.ts': ['two transactions that emit for one key'] },
  },
  {
    name: 'the relay takes an event for sent before the bus has it',
    edits: [
      {
        file: 'services/platform/src/events/forwarder.ts',
        from: 'for (const [topic, ofTopic] of Map.groupBy(events, (event) => event.topic)) {',
        to: `await connection.query('delete from outbox_unsent where id = any($1::bigint[])', [events.map(({ id }) => id)])
  for (const [topic, ofTopic] of Map.groupBy(events, (event) => event.topic)) {`,
      },
    ],
    red: { 'services/platform/test/outbox.test.ts': ['what the bus did not take is sent again'] },
  },
  {
    name: 'the relay reads on above an event that is still to commit',
    edits: [
      {
        file: 'services/platform/src/events/outbox-floor.ts',
        from: 'if (settling && look.oldest >= settling.before) {',
        to: 'if (settling) {',
      },
    ],
    red: { 'services/platform/test/relay.test.ts': ['the floor stays below an id that commits late'] },
  },
  {
    name: 'the relay takes from memory the text of another event',
    edits: [
      {
        file: 'services/platform/src/events/append.ts',
        from: 'id: Number(ids[i])',
        to: 'id: Number(ids[ids.length - 1 - i])',
      },
    ],
    red: { 'services/platform/test/relay.test.ts': ['many events of many people in one transaction'] },
  },
  {
    name: 'a repeated request runs again while the first one runs',
    edits: [
      {
        file: 'gateway/src/store/idempotency-keys.ts',
        from: `if (known.status === null || known.body === null) return { state: 'running' }`,
        to: `if (known.status === null || known.body === null) return { state: 'run', resourceId: newId(), attempt }`,
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
