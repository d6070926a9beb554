const MAX_CHARACTERS = 100
/** File systems take 255 of a name; the rest is for what is put beside the title. */
const MAX_BYTES = 180

const bytesOf = (text: string): number => new TextEncoder().encode(text).length

/** The content of a character class: what is hidden in a name, and what turns the text around it; joiners of emoji and of Persian words stay. */
export const HIDDEN = '\\p{Cc}\\p{Cs}\\p{Co}\\u00ad\\u200b\\u202a-\\u202e\\u2060-\\u206f\\ufeff'
/** Also what a file system refuses. */
const UNSAFE = new RegExp(`[/\\\\:*?"<>|\\s${HIDDEN}]+`, 'gu')

/** With any extension. */
const DEVICE = /^(con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d¹²³])(?=\s*(?:\.|$))/i

/** The name, changed where Windows would take it for that of a device. */
export const noDevice = (name: string): string => name.replace(DEVICE, '$1_')

/** A title as the name of a file or a folder: without what a file system refuses or hides; `Untitled` where nothing is left. */
export function asFileName(title: string): string {
  const characters = Array.from(title.replace(UNSAFE, ' ')).slice(0, MAX_CHARACTERS)
  while (bytesOf(characters.join('')) > MAX_BYTES) characters.pop()
  const name = characters.join('').replace(/^[\s.]+|[\s.]+$/g, '')
  return noDevice(name) || 'Untitled'
}
