/** Files that are dropped beside a form or a file input: a browser would open one in place of the app. Call once. */
export function ignoreStrayFiles(): void {
  for (const name of ['dragover', 'drop'] as const)
    addEventListener(name, (event) => {
      // text can be dragged into a field
      if (event.defaultPrevented || !event.dataTransfer?.types.includes('Files')) return
      if ((event.target as Element).matches?.('input[type=file]')) return
      event.preventDefault()
      event.dataTransfer.dropEffect = 'none'
    })
}
