import { useQuery } from '@tanstack/react-query'
import type { LegalPage } from '@prelude/contracts'
import { call } from './client.ts'

/** What anyone reads, signed in or not. */

/** Terms, privacy notice or imprint, in a language where it is configured. */
export const useLegalText = (page: LegalPage, language: string) =>
  useQuery({
    queryKey: ['legal', page, language],
    queryFn: ({ signal }) => call('GET /api/legal/:page', { params: { page }, query: { language }, signal }),
  })

export const useCertificate = (id: string) =>
  useQuery({
    queryKey: ['certificate', id],
    queryFn: ({ signal }) => call('GET /api/certificates/:id', { params: { id }, signal }),
  })
