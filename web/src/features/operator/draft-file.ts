import type { Draft } from '@prelude/contracts'
import { readDraft } from '../../api/drafts.ts'

/** A draft in the place of a chosen file. It is a finished upload already, and is not sent again. */
export class DraftFile extends File {
  readonly draft: Draft
  constructor(audio: Blob, draft: Draft) {
    const [, extension = ''] = /^audio\/(?:x-)?(\w+)/.exec(audio.type) ?? []
    super([audio], `draft-${draft.n}.${extension === 'mpeg' ? 'mp3' : extension}`, { type: audio.type })
    this.draft = draft
  }
}

/** The audio is read so that it is checked like any chosen file. Errors: ApiProblem. */
export const fileOfDraft = async (draft: Draft): Promise<DraftFile> =>
  new DraftFile(await readDraft(draft), draft)
