import type { UseInfiniteQueryResult } from '@tanstack/react-query'

/** Loads the next page of a list. A fetch of what is there is awaited: TanStack Query would cancel it, and count the list as fresh. */
export async function loadMore(
  list: Pick<UseInfiniteQueryResult, 'isFetching' | 'isFetchingNextPage' | 'refetch' | 'fetchNextPage'>,
): Promise<void> {
  if (list.isFetchingNextPage) return
  if (list.isFetching) await list.refetch({ cancelRefetch: false })
  await list.fetchNextPage()
}
