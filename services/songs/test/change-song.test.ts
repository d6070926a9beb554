import { expect, test } from 'vitest'
import { songsApi } from '@prelude/contracts'
import { AppError, newId } from '@prelude/platform'
import { placedObject, testService } from '@prelude/platform/testing'
import { changeByObjects } from '../src/change-song.ts'
import { createSongs } from '../src/index.ts'

test('a change that is refused, rolled back by a serialization failure and then succeeds has succeeded', async () => {
  await using songs = await testService((deps) => createSongs(deps))
  const id = newId()
  const body = { uid: 'u1', username: 'Ada', email: 'ada@example.com', lyrics: 'la', style: 'folk' }
  await songs.api(songsApi).request({ params: { id }, body })
  await songs.admin.query(`
    create function fail() returns trigger language plpgsql as $$ begin raise sqlstate '40001'; end $$;
    create trigger fail before insert on event for each row when (new.type = 'TakesRefused') execute function fail()`)
  let attempts = 0
  const changed = await changeByObjects(songs, id, [placedObject('a')], (song) => {
    attempts++
    // as if somebody had released its hold between the two
    if (attempts === 1) throw new AppError('charge_pending')
    return { ...song, note: 'changed' }
  })
  expect([attempts, changed.note]).toEqual([2, 'changed'])
  expect((await songs.emitted()).map(({ type }) => type)).toEqual(['SongRequested', 'SongUpdated'])
})
