import { useInfiniteQuery } from '@tanstack/react-query'
import { type ReactNode, useRef, useState } from 'react'
import { api, ApiProblem, sentenceOf } from '../../api/client.ts'
import type { Page } from '../../api/pages.ts'
import { queries } from '../../api/queries.ts'
import { messages } from '../../messages.ts'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toast.tsx'
import { Wait } from '../../ui/wait.tsx'
import styles from './operator.module.css'

/** One of the operator's lists by its name under /api/operator, newest first. */
export function useList<T>(name: string, query: Record<string, string> = {}) {
  return useInfiniteQuery({
    queryKey: ['operator', name, query],
    queryFn: ({ pageParam }) => {
      const params = new URLSearchParams({ ...query, limit: '50' })
      if (pageParam !== '') params.set('cursor', pageParam)
      return api.get<Page<T>>(`/api/operator/${name}?${params}`)
    },
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    refetchOnMount: 'always',
  })
}

/** The rows of a list, `empty` when there are none, and a way to the older ones. */
export function DeskList<T>(props: {
  list: ReturnType<typeof useList<T>>
  empty: string
  children: (row: T) => ReactNode
}) {
  const { list } = props
  const rows = list.data?.pages.flatMap(({ items }) => items)
  if (list.isError && !rows) return <p className={styles.soft}>{sentenceOf(list.error)}</p>
  if (!rows) return <Wait as="line" />
  if (rows.length === 0) return <p className={styles.soft}>{props.empty}</p>
  return (
    <>
      <ul className={styles.list}>{rows.map(props.children)}</ul>
      {list.hasNextPage && (
        <Button small busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          {messages.operator.older}
        </Button>
      )}
    </>
  )
}

/** Does it, says so, and reads the desk again. An upload that was cancelled rejects with null. */
export async function act(work: () => Promise<unknown>, said: string): Promise<void> {
  try {
    await work()
    toast.status(said)
  } catch (error) {
    toast.alert(error === null ? messages.uploadCancelled : sentenceOf(error))
  }
  await queries.invalidateQueries({ queryKey: ['operator'] })
}

/**
 * Sends one intention of the operator: pressed twice, or again after an answer that was lost, it happens once. Another
 * body, or the same after it was answered, is another intention.
 */
export function useOnce(path: string): {
  readonly busy: boolean
  readonly send: (body: object, said: string) => Promise<void>
} {
  const [busy, setBusy] = useState(false)
  const intention = useRef({ body: '', key: '' })
  const send = async (body: object, said: string): Promise<void> => {
    if (busy) return
    const text = JSON.stringify(body)
    if (intention.current.body !== text) intention.current = { body: text, key: crypto.randomUUID() }
    setBusy(true)
    const { key } = intention.current
    let isAnswered = true
    await act(
      () =>
        api.post(path, body, { idempotencyKey: key }).catch((error: unknown) => {
          isAnswered = error instanceof ApiProblem && error.status >= 400 && error.status < 500
          throw error
        }),
      said,
    )
    if (isAnswered) intention.current.body = ''
    setBusy(false)
  }
  return { busy, send }
}
