import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Person } from '../support/person.ts'
import { ask, type Reply, type Scene } from './scene.ts'

const FIXTURES = resolve(import.meta.dirname, '../../../services/storage/test/fixtures')

/** Fulfils a song with two files, as the operator's browser sends them; a song that waits for credits becomes a gift. */
export async function fulfil(
  scene: Scene,
  operator: Person,
  id: string,
): Promise<Reply<{ code?: string; detail?: string; status?: string }>> {
  const form = new FormData()
  for (const [n, name] of ['cbr.mp3', 'tone.flac'].entries())
    form.set(`version${n + 1}`, new Blob([await readFile(join(FIXTURES, name))]), name)
  return ask(scene, operator, 'POST', `/api/operator/songs/${id}/fulfil?gift=true`, { form })
}
