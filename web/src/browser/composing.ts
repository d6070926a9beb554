import type { KeyboardEvent } from 'react'

/** Whether the key belongs to an input method, as Enter that takes a word; Safari ends the composition before it sends the key. */
export const isComposing = ({ nativeEvent }: KeyboardEvent): boolean =>
  nativeEvent.isComposing || nativeEvent.key === 'Process' || nativeEvent.which === 229
