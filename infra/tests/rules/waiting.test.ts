import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

/** Everything in the web app that waits for the server shows it: a query by `QueryState`, a request by a busy control. */

const WEB = resolve(import.meta.dirname, '../../../web/src')
const sources = globSync('**/*.{ts,tsx}', { cwd: WEB }).map((file) => ({
  file,
  code: readFileSync(`${WEB}/${file}`, 'utf8'),
}))
type Source = (typeof sources)[number]

/** What is shown in place of an answer by other means than `QueryState`. */
const SHOWN_OTHERWISE: Readonly<Record<string, string>> = {
  useMe: 'the bar has a sign-in button or a placeholder, a page that needs a person waits for it',
  useCredits: 'the balance reads "Loading..."',
  useNextPromise: 'nothing is said while it is not known',
  useDebt: 'a debt is a notice beside the page',
  useDebts: 'a debt is a notice beside the song',
  useWaveform: 'the slider is busy',
  usePendingSongs: 'what needs the person is said once it is known',
  useHasArchived: 'filters are there once there is something to filter',
  useSongNames: 'a name that is not known yet is an ellipsis',
  'features/album/needs-you.tsx useNotices': 'a part of the line appears once it is known',
  'features/album/cancel-dialog.tsx useSong': 'the song is there from the list',
  'features/player/player.tsx useSong': 'the song is there from the list',
  'features/payments/payment-failed.tsx usePayments': 'the button is busy',
  'features/payments/statement.tsx usePayments': 'an entry names its payment once that is there',
  'features/album/album.tsx useSongs': 'the list has a skeleton',
  useStageCounts: 'a tab without its count',
  'features/operator/desk/internal-note.tsx': 'the field says that the note is being saved',
  'features/payments/payment-success.tsx useQuery': 'the page says that the payment is being confirmed',
  'features/payments/payment-success.tsx usePayments':
    'the songs that a payment has charged are said once known',
  'features/share/shared-song-page.tsx wave': 'the slider is busy',
  'features/top-up/top-up-dialog.tsx usePayments': 'an announced transfer is a notice in the dialog',
}

const DECLARED = /^(?:export )?(?:async )?(?:function|const) (\w+)/
const READS = /\buse(?:Infinite)?Quer(?:y|ies)[<(]/
const SENDS = /\bcall\(\s*['`](?!GET )/
const A_SIGN = /busy[={]|aria-busy|<Loading|progressAfterDelay/

/** The functions and constants outside of others that match. */
const declared = (all: readonly Source[], pattern: RegExp): string[] =>
  all.flatMap(({ code }) =>
    code
      .split(/^(?=(?:export )?(?:async )?(?:function|const) \w)/m)
      .flatMap((one) => (pattern.test(one) ? (DECLARED.exec(one)?.[1] ?? []) : [])),
  )

const isPage = ({ file }: Source): boolean => /^(features|app)\/.*\.tsx$/.test(file)

/** Where a query is neither handed to a component, as to `QueryState`, nor shown otherwise. */
function readsWithoutSign(all: readonly Source[]): string[] {
  const hooks = declared(all, READS).filter((name) => name.startsWith('use'))
  const reads = new RegExp(
    `(?:const (\\{[^}]*\\}|\\w+) = )?(?<!return |=>\\s+|=\\{)\\b(${['useQuery', 'useInfiniteQuery', ...hooks].join('|')})[<(]`,
    'g',
  )
  return all.filter(isPage).flatMap(({ file, code }) =>
    [...code.matchAll(reads)].flatMap(([, result = '', hook = '']) => {
      if (code.includes(`function ${hook}`)) return []
      const name = /\bquery\b/.exec(result)?.[0] ?? result.replaceAll(/\W/g, '')
      if (new RegExp(`(?:query|list|links)=\\{${name}\\}`).test(code)) return []
      return [
        [hook, `${file} ${hook}`, `${file} ${name}`].find((key) => key in SHOWN_OTHERWISE) ??
          `${file} ${hook}`,
      ]
    }),
  )
}

/** Components that send a request and show no sign of it. */
function sendsWithoutSign(all: readonly Source[]): string[] {
  const senders = declared(all, SENDS).filter((name) => /^[a-z]/.test(name)) // a component shows it itself
  return all.filter(isPage).flatMap(({ file, code }) => {
    const imported = [...code.matchAll(/^import \{([^}]*)\} from '\./gm)].flatMap(([, names = '']) =>
      names.split(',').map((one) => one.trim()),
    )
    const sends = SENDS.test(code) || imported.some((name) => senders.includes(name))
    const actions = code.matchAll(/const (\{[^}]*\}|\w+) = (?:useIdempotentPost|useSongAction|useCommand)\(/g)
    const silent = [...actions].filter(([, result = '']) =>
      result.startsWith('{') ? !/\bbusy\b/.test(result) : !code.includes(`${result}.busy`),
    )
    return [
      ...(sends && !A_SIGN.test(code) ? [file] : []),
      ...silent.map(([, result]) => `${file} ${result}`),
    ]
  })
}

test('a query without an answer is shown by `QueryState`, and a request under way by a busy control', () => {
  const without = [...readsWithoutSign(sources), ...sendsWithoutSign(sources)]
  expect([...new Set(without)].toSorted()).toEqual(Object.keys(SHOWN_OTHERWISE).toSorted())
  expect(declared(sources, READS).length).toBeGreaterThan(10)
  expect(declared(sources, SENDS).length).toBeGreaterThan(10)
})

test('a component that shows nothing of its waiting is found', () => {
  const file = 'features/album/new.tsx'
  const found = (code: string) =>
    [readsWithoutSign, sendsWithoutSign].flatMap((rule) => rule([{ file, code }]))
  const read = 'const song = useQuery({ queryKey })\n'
  expect(found(read)).toEqual([`${file} useQuery`])
  expect(found(`${read}return <QueryState query={song} />`)).toEqual([])
  const send = "const save = () => call('POST /api/songs')\n"
  expect(found(send)).toEqual([file])
  expect(found(`${send}return <Button busy={busy} />`)).toEqual([])
  const action = 'const { busy, error } = useSongAction(id)\n'
  expect(found(action)).toEqual([])
  expect(found(action.replace('busy, ', ''))).toEqual([`${file} { error }`])
})
