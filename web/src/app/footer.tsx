import { house, type Language, LANGUAGES, messages, speak, useLanguage } from '../messages.ts'
import { toast } from '../ui/toast.tsx'
import styles from './footer.module.css'
import { ThemeSwitch } from './theme-switch.tsx'

async function choose(language: Language): Promise<void> {
  const done = toast.ifSlow(messages.loading)
  await speak(language).catch(() => toast.alert(messages.noConnection))
  done()
}

/** Under every page: the language and, where the top bar has no room for it, light or dark. */
export function Footer() {
  const language = useLanguage()
  return (
    <footer className={styles.foot}>
      <span>{house.brand}</span>
      <span className={styles.languages} role="group" aria-label={messages.footer.language}>
        {(Object.keys(LANGUAGES) as Language[]).map((one) => (
          <button
            key={one}
            type="button"
            lang={one}
            aria-current={one === language}
            onClick={() => void choose(one)}
          >
            {LANGUAGES[one]}
          </button>
        ))}
      </span>
      <ThemeSwitch className={styles.theme} />
    </footer>
  )
}
