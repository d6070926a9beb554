import type { UseQueryResult } from '@tanstack/react-query'
import type { ComponentProps } from 'react'
import { errorMessage } from '../api/client.ts'
import { messages } from '../messages.ts'
import { Button } from './button.tsx'
import { Loading } from './loading.tsx'
import styles from './query-state.module.css'

/** In place of data that is not loaded: why the last try failed while there is a next one, then the error with "Try again". */
export function QueryState({
  query: { error, failureReason, refetch },
  variant = 'page',
}: {
  query: Pick<UseQueryResult, 'error' | 'failureReason' | 'refetch'>
  variant?: ComponentProps<typeof Loading>['variant']
}) {
  if (error === null)
    return <Loading variant={variant} failure={failureReason && errorMessage(failureReason)} />
  return (
    <div role="alert" className={`stack ${styles.failed} ${variant === 'page' ? styles.page : ''}`}>
      <p>{errorMessage(error)}</p>
      <Button small onClick={() => void refetch()}>
        {messages.tryAgain}
      </Button>
    </div>
  )
}
