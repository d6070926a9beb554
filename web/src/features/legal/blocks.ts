export interface Block {
  readonly kind: 'title' | 'heading' | 'paragraph' | 'list'
  /** The items of a list; else one. Lines break where the file breaks them. */
  readonly texts: string[]
}

const KINDS: Readonly<Record<string, Block['kind']>> = { '#': 'title', '##': 'heading', '-': 'list' }

/** Reads the subset of Markdown in which legal texts are written: `#`, `##` and `-` begin lines. All else, HTML too, is text. */
export function blocksOf(source: string): Block[] {
  const blocks: Block[] = []
  // takes the lines that follow
  let open: Block | null = null
  for (const line of source.split('\n').map((one) => one.trim())) {
    const [, mark = '', marked = ''] = /^(##?|-)\s+(.+)$/.exec(line) ?? []
    const kind = KINDS[mark]
    if (line === '') open = null
    else if (kind === 'list' && open?.kind === 'list') open.texts.push(marked)
    else if (kind === undefined && open) open.texts.push(`${open.texts.pop()}\n${line}`)
    else {
      const block: Block = { kind: kind ?? 'paragraph', texts: [kind ? marked : line] }
      blocks.push(block)
      open = kind === 'title' || kind === 'heading' ? null : block
    }
  }
  return blocks
}

export interface Part {
  readonly text: string
  /** An https: or mailto: address; no other becomes a link. */
  readonly href?: string
}

const ADDRESS = String.raw`(?:https:\/\/|mailto:)[^\s()<>"]*[^\s()<>".,;:!?]`
const LINK = new RegExp(String.raw`\[([^[\]]+)\]\((${ADDRESS})\)|(${ADDRESS})`, 'g')

/** Splits a text at its links: `[words](address)`, or the address alone. */
export function partsOf(text: string): Part[] {
  const parts: Part[] = []
  let end = 0
  for (const { 0: whole, 1: words, 2: target, 3: bare, index } of text.matchAll(LINK)) {
    const href = target ?? bare ?? ''
    parts.push({ text: text.slice(end, index) }, { text: words ?? href.replace('mailto:', ''), href })
    end = index + whole.length
  }
  return [...parts, { text: text.slice(end) }].filter((part) => part.text !== '')
}
