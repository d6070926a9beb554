/** What the main flow needs of a browser: controls by role and accessible name, independent of its driver. */
export interface Tab {
  open(url: string): Promise<void>
  /** Waits until it is shown. */
  see(role: Role, name: Name): Promise<void>
  press(role: Role, name: Name): Promise<void>
  /** Replaces the text of a field. */
  type(role: Role, name: Name, text: string): Promise<void>
  /** Sends one key to a control. */
  key(role: Role, name: Name, key: 'ArrowRight'): Promise<void>
  /** Chooses the option with this text. */
  choose(option: RegExp): Promise<void>
  attach(label: string, path: string): Promise<void>
  /** Clicks, and acts in the popup that opens until the page closes it. */
  inPopup(press: () => Promise<void>, act: () => Promise<void>): Promise<void>
  /** Position of the sound that plays, in seconds; null in silence. */
  playingAt(): Promise<number | null>
  /** Presses, and answers the file that is saved once it has this many bytes. */
  download(press: () => Promise<void>, bytes: number): Promise<Buffer>
}

export type Name = string | RegExp
export type Role = 'button' | 'link' | 'textbox' | 'spinbutton' | 'region' | 'status' | 'slider'

export interface Engine {
  /** Opens a tab with cookies of its own, which closes when the current test finishes. */
  open(): Promise<Tab>
}

/** Runs in the page: finds the sounds, which are not in the document, and says where the playing one is. */
export const TRACK_SOUNDS = `if (!window.played) {
  const played = window.played = new Set()
  const play = HTMLMediaElement.prototype.play
  HTMLMediaElement.prototype.play = function () { played.add(this); return play.call(this) }
}`
export const PLAYING_AT = `const found = [...window.played ?? []].find((one) => !one.paused)
return found ? found.currentTime : null`
