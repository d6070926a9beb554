import { mkdir, mkdtemp, readdir, readlink, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { folderBlobs } from '../src/blobs/folder-blobs.ts'
import { eventually } from '@prelude/platform/eventually'
import { blobsConformance, chunks, options } from './conformance/blobs.ts'

async function folder() {
  const root = await mkdtemp(join(tmpdir(), 'prelude-blobs-'))
  return {
    root,
    blobs: folderBlobs({ root }),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  }
}

blobsConformance(folder)

test('a failed put leaves no temporary file behind', async () => {
  await using store = await folder()
  await expect(store.blobs.put('a', Readable.from(['hello']), options(9))).rejects.toBeInstanceOf(Error)
  expect(await readdir(join(store.root, '.tmp'))).toEqual([])
})

test('a put that failed because the store could not be prepared does not fail those after it', async () => {
  await using store = await folder()
  await writeFile(join(store.root, '.tmp'), 'a file where the folder should be')
  const put = () => store.blobs.put('a', Readable.from(['a']), options(1))
  await expect(put()).rejects.toBeInstanceOf(Error)
  await rm(join(store.root, '.tmp'))
  await put()
  expect(await store.blobs.head('a')).toMatchObject({ sizeBytes: 1 })
})

test('deleting the last object of a folder removes the folder', async () => {
  await using store = await folder()
  await store.blobs.put('songs/1/a', Readable.from(['a']), options(1))
  await store.blobs.delete('songs/1/a')
  expect(await readdir(store.root)).toEqual(['.tmp'])
})

test('puts and deletes in one folder do not disturb each other', async () => {
  await using store = await folder()
  await Promise.all(
    Array.from({ length: 40 }, async (_, i) => {
      await store.blobs.put(`songs/1/${i}`, Readable.from(['a']), options(1))
      await store.blobs.delete(`songs/1/${i}`)
    }),
  )
  expect(await readdir(store.root)).toEqual(['.tmp'])
})

test('a store that opens while another one writes to its folder is not disturbed', async () => {
  await using store = await folder()
  let isWriting = true
  const write = async (name: string): Promise<void> => {
    while (isWriting) await store.blobs.put(`busy/${name}`, Readable.from(['a']), options(1))
  }
  const writers = Promise.all(Array.from({ length: 10 }, (_, n) => write(String(n))))
  try {
    for (let n = 0; n < 20; n++) {
      const second = folderBlobs({ root: store.root })
      await second.put(`second/${n}`, Readable.from(['b']), options(1))
      await second.delete(`second/${n}`)
    }
  } finally {
    isWriting = false
    await writers
  }
  expect(await readdir(join(store.root, '.tmp'))).toEqual([])
})

test('a put is kept beside a delete that removes its folder, by another store too', async () => {
  await using store = await folder()
  const second = folderBlobs({ root: store.root })
  let isDeleting = true
  const remove = async (): Promise<void> => {
    while (isDeleting) await second.delete('songs/1/takes/2/gone')
  }
  const deleting = Promise.all(Array.from({ length: 4 }, remove))
  try {
    for (let n = 0; n < 20; n++) {
      await store.blobs.put('songs/1/takes/2/kept', Readable.from(['a']), options(1))
      expect(await store.blobs.head('songs/1/takes/2/kept')).toMatchObject({ sizeBytes: 1 })
      await store.blobs.delete('songs/1/takes/2/kept')
    }
  } finally {
    isDeleting = false
    await deleting
  }
})

test('a reader that leaves midway closes its file', async ({ skip }) => {
  skip(process.platform !== 'linux', 'open files are read from /proc, which only Linux has')
  await using store = await folder()
  await store.blobs.put('a', Readable.from(chunks(4)), options(4 * 1024 * 1024))
  const openFiles = async () => {
    const handles = await readdir('/proc/self/fd')
    const targets = await Promise.all(handles.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')))
    return targets.filter((target) => target.startsWith(store.root))
  }
  const reader = await store.blobs.get('a')
  await new Promise((resolve) => reader?.once('readable', resolve))
  expect(await openFiles()).toHaveLength(1)
  reader?.destroy()
  await eventually(async () => expect(await openFiles()).toEqual([]))
})

test('what others keep in the folder under other names is not listed', async () => {
  await using store = await folder()
  await store.blobs.put('songs/1/a', Readable.from(['a']), options(1))
  await mkdir(join(store.root, 'songs/with space'))
  for (const name of ['songs/1/with space', 'songs/with space/a', 'songs/1/.hidden', '007'])
    await writeFile(join(store.root, name), 'x')
  expect(await Array.fromAsync(store.blobs.list(''), ({ path }) => path)).toEqual(['songs/1/a'])
})
