import type { ReactNode } from 'react'
import type { LegalPage } from '@prelude/contracts'
import { useLegalText } from '../../api/public.ts'
import { messages, useLanguage } from '../../messages.ts'
import { QueryState } from '../../ui/query-state.tsx'
import { usePageTitle } from '../../state/title.ts'
import { blocksOf, partsOf } from './blocks.ts'
import styles from './legal-text-page.module.css'

/** Terms, privacy notice or imprint, in the language of the app where it is configured. */
export default function LegalTextPage({ page }: { page: LegalPage }) {
  usePageTitle(messages.footer[page])
  const text = useLegalText(page, useLanguage())
  const { data } = text
  if (!data) return <QueryState query={text} />
  const blocks = blocksOf(data.text)
  // a single title, at the beginning, is that of the page
  const isTitled = blocks.findLastIndex(({ kind }) => kind === 'title') === 0
  const hasSections = !isTitled && blocks.some(({ kind }) => kind === 'title')
  const elements = {
    title: isTitled ? 'h1' : 'h2',
    heading: hasSections ? 'h3' : 'h2', // no level is left out
    paragraph: 'p',
  } as const
  return (
    <article className={styles.page}>
      {!isTitled && <h1>{messages.footer[page]}</h1>}
      <div lang={data.language} dir="auto">
        {blocks.map(({ kind, texts }, index) => {
          const lines = texts.map(withLinks)
          if (kind === 'list') return <List key={index} items={lines} />
          const Element = elements[kind]
          return <Element key={index}>{lines}</Element>
        })}
      </div>
    </article>
  )
}

const List = ({ items }: { items: readonly ReactNode[] }) => (
  <ul>
    {items.map((item, index) => (
      <li key={index}>{item}</li>
    ))}
  </ul>
)

const withLinks = (text: string): ReactNode =>
  partsOf(text).map(({ text: words, href }, index) =>
    href === undefined ? (
      words
    ) : (
      <a key={index} href={href}>
        {words}
      </a>
    ),
  )
