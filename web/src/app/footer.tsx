import { siteConfig, type Language, LANGUAGES, messages, setLanguage, useLanguage } from '../messages.ts'
import { toast } from '../ui/toast.tsx'
import styles from './footer.module.css'
import { ThemeSwitch } from './theme-switch.tsx'

async function choose(language: Language): Promise<void> {
  const done = toast.progressAfterDelay(messages.loading)
  await setLanguage(language).catch(() => toast.alert(messages.noConnection))
  done()
}

/** Language choice and, on narrow screens, the theme switch. */
export function Footer() {
  const language = useLanguage()
  return (
    <footer className={styles.footer}>
      <span>{siteConfig.brand}</span>
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
