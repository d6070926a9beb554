/** Files that are dropped beside a form or a file input: a browser would open one in place of the app. Call once. */
export function ignoreStrayFiles(): void {
  for (const name of ['dragover', 'drop'] as const)
    addEventListener(name, (event) => {
      if (event.defaultPrevented || (event.target as Element).matches?.('input[type=file]')) return
      event.preventDefault()
      if (event.dataTransfer) event.dataTransfer.dropEffect = 'none'
    })
}
