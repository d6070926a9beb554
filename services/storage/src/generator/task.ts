import { openAsBlob } from 'node:fs'
import { extname } from 'node:path'
import { Readable } from 'node:stream'
import type { Sent } from './exchange.ts'
import type { GeneratorRequest } from './port.ts'

/**
 * Members of a request that `GENERATOR_OPTIONS` cannot set, compared without case and separators, since an ACE-Step server takes
 * several spellings of each: what is sung and asked for, or replaces it; the task and its audio; the key; and objects that may hold
 * any of them.
 */
const OWN = new RegExp(
  `^(?:${[
    'prompt|caption|lyrics|instruction|sample(?:mode|query)|desc(?:ription)?|(?:use)?format',
    'task(?:type)?|batchsize|(?:full)?analysisonly|repainting(?:start|end)',
    '(?:ref|reference|src|source|ctx)audio.*|audiocode.*',
    'aitoken|apikey|authorization',
    'paramobj|meta|metas|metadata|usermetadata',
  ].join('|')})$`,
)

type Options = Readonly<Record<string, unknown>>

const allowed = (options: Options): Options =>
  Object.fromEntries(
    Object.entries(options).filter(([name]) => !OWN.test(name.toLowerCase().replaceAll(/[^a-z\d]/g, ''))),
  )

/** The body of a release: JSON, or a form where it has audio. Errors: the audio cannot be read. */
export async function taskOf(request: GeneratorRequest, options: Options): Promise<Sent> {
  const { lyrics, prompt, bpm, vocalLanguage, keepWords, again } = request
  const path = '/release_task'
  const task = {
    ...allowed(options),
    prompt,
    lyrics,
    ...(bpm !== null && { bpm }),
    ...(vocalLanguage !== null && { vocal_language: vocalLanguage }),
    ...(keepWords && { use_cot_caption: false }),
    task_type: again ? 'repaint' : 'text2music',
    batch_size: 1,
  }
  if (!again) return { path, body: JSON.stringify(task), contentType: 'application/json' }
  const form = new FormData()
  const times = { repainting_start: again.fromMs / 1000, repainting_end: again.toMs / 1000 }
  for (const [name, value] of Object.entries({ ...task, ...times }))
    form.append(name, typeof value === 'string' ? value : JSON.stringify(value))
  form.append('src_audio', await openAsBlob(again.file), `audio${extname(again.file)}`)
  const { body, headers } = new Response(form)
  return {
    path,
    body: Readable.from(body!, { objectMode: false }),
    contentType: headers.get('content-type') ?? '',
  }
}
