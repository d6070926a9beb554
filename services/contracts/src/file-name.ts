const MAX_CHARACTERS = 100
/** File systems take 255 of a name; the rest is for what is put beside the title. */
const MAX_BYTES = 180

const bytesOf = (text: string): number => new TextEncoder().encode(text).length

/** A title as the name of a file or a folder: without what a file system refuses or hides; `Untitled` where nothing is left. */
export function asFileName(title: string): string {
  const characters = Array.from(title.replace(/[/\\:*?"<>|\p{C}\s]+/gu, ' ')).slice(0, MAX_CHARACTERS)
  while (bytesOf(characters.join('')) > MAX_BYTES) characters.pop()
  return characters.join('').replace(/^[\s.]+|[\s.]+$/g, '') || 'Untitled'
}
