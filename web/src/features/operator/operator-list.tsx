import { type ReactNode, useRef, useState } from 'react'
import { ApiProblem, call, type CallArguments, type CallOptions, errorMessage } from '../../api/client.ts'
import { invalidateOperator } from '../../api/operator.ts'
import { loadMore, type PagedList } from '../../api/pages.ts'
import type { Route, Routes } from '../../api/routes.ts'
import { messages } from '../../messages.ts'
import { Button } from '../../ui/button.tsx'
import { FormError } from '../../ui/form-error.tsx'
import { toast } from '../../ui/toast.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { AdminPassword } from './admin-password.tsx'
import styles from './operator.module.css'

/** The rows of a list, the text `empty` without rows, and a button that loads more. */
export function OperatorList<T>(props: {
  list: PagedList<T>
  empty: string
  /** The list's accessible name. */
  label?: string
  /** Rows that it is false for are left out. */
  isShown?: (row: T, above: T | undefined) => boolean
  children: (row: T, above: T | undefined) => ReactNode
}) {
  const { list } = props
  const all = list.data?.pages.flatMap(({ items }) => items)
  const rows = all?.filter((row, at) => props.isShown?.(row, all[at - 1]) ?? true)
  if (!rows) return <QueryState query={list} variant="inline" />
  return (
    <>
      <ul aria-label={props.label} aria-busy={list.isPlaceholderData} className={`rows ${styles.list}`}>
        {rows.map((row, at) => props.children(row, rows[at - 1]))}
      </ul>
      {rows.length === 0 && !list.hasNextPage && <p className="soft">{props.empty}</p>}
      {list.hasNextPage && (
        <Button small busy={list.isFetchingNextPage} onClick={() => void loadMore(list)}>
          {messages.operator.older}
        </Button>
      )}
      {list.isFetchNextPageError && !list.isFetchingNextPage && <FormError text={errorMessage(list.error)} />}
    </>
  )
}

/** Runs an action, shows its result as a toast and refetches the operator's lists. Resolves to whether it succeeded. */
export async function runAction(action: () => Promise<unknown>, successMessage: string): Promise<boolean> {
  try {
    await action()
    toast.status(successMessage)
    return true
  } catch (error) {
    toast.alert(errorMessage(error))
    return false
  } finally {
    invalidateOperator()
  }
}

/** A refusal; but not that of a repeated request whose first attempt is still running. */
const isFinal = ({ status, code }: ApiProblem): boolean =>
  status >= 400 && status < 500 && code !== 'request_in_progress'

type OperatorPost = Extract<Route, `POST /api/operator/${string}`> &
  { [R in Route]: Routes[R] extends { body: object } ? R : never }[Route]

/**
 * POST with an Idempotency-Key: pressed twice, or repeated after a lost response, it takes effect once. The key is reused
 * until the server has answered, for the same body only.
 */
export function useIdempotentPost<R extends OperatorPost>(
  route: R,
  target: Omit<CallOptions<R>, 'body'>,
): {
  readonly busy: boolean
  /** Once the server has asked for the admin password, which then goes along. */
  readonly passwordField: ReactNode
  /** Resolves to whether it succeeded. */
  readonly send: (body: Routes[R]['body'], successMessage: string) => Promise<boolean>
} {
  const [busy, setBusy] = useState(false)
  /** Null while it is not asked for. */
  const [password, setPassword] = useState<string | null>(null)
  const attempt = useRef({ body: '', key: '' })
  const send = async (given: object, successMessage: string): Promise<boolean> => {
    if (busy) return false
    const body = password === null ? given : { ...given, password }
    const text = JSON.stringify(body)
    if (attempt.current.body !== text) attempt.current = { body: text, key: crypto.randomUUID() }
    setBusy(true)
    const { key } = attempt.current
    let isAnswered = true
    const succeeded = await runAction(
      () =>
        call(route, ...([{ ...target, body, idempotencyKey: key }] as unknown as CallArguments<R>))
          .then(() => setPassword(null))
          .catch((error: unknown) => {
            isAnswered = error instanceof ApiProblem && isFinal(error)
            if (error instanceof ApiProblem && error.code === 'operator_password_required') setPassword('')
            throw error
          }),
      successMessage,
    )
    if (isAnswered) attempt.current.body = ''
    setBusy(false)
    return succeeded
  }
  const passwordField = password !== null && <AdminPassword value={password} onChange={setPassword} />
  return { busy, passwordField, send }
}
