import { Fragment, type ReactNode } from 'react'
import {
  type Language,
  languages,
  messages,
  nameOf,
  setLanguage,
  siteConfig,
  useLanguage,
} from '../messages.ts'
import { toast } from '../ui/toast.tsx'
import styles from './footer.module.css'
import { ThemeSwitch } from './theme-switch.tsx'

async function choose(language: Language, onChoose?: (language: Language) => void): Promise<void> {
  onChoose?.(language)
  const done = toast.progressAfterDelay(messages.loading)
  await setLanguage(language).catch(() => toast.alert(messages.noConnection))
  done()
}

type MakeLink = (path: string, text: string) => ReactNode

/** The links to legal pages, the language choice and, on narrow screens, the theme switch. The app links without a reload. */
export function Footer({
  link = (path, text) => <a href={path}>{text}</a>,
  onChoose,
}: {
  link?: MakeLink
  onChoose?: (language: Language) => void
}) {
  const language = useLanguage()
  return (
    <footer className={`row soft ${styles.footer}`}>
      <span>{siteConfig.brand}</span>
      {siteConfig.legalPages.map((page) => (
        <Fragment key={page}>{link(`/${page}`, messages.footer[page])}</Fragment>
      ))}
      <span className={`line gap-1 ${styles.end}`}>
        <span className={`row gap-1 ${styles.languages}`} role="group" aria-label={messages.footer.language}>
          {languages().map((one) => (
            <button
              key={one}
              type="button"
              lang={one}
              aria-current={one === language}
              onClick={() => void choose(one, onChoose)}
            >
              {nameOf(one)}
            </button>
          ))}
        </span>
        <ThemeSwitch className={styles.theme} />
      </span>
    </footer>
  )
}
