/** An answer that is JSON text already, of the operation's shape: it goes out as it stands. */
export class Written {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}
