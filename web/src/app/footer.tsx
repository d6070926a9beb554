import { house, type Language, LANGUAGES, messages, speak, useLanguage } from '../messages.ts'
import { toast } from '../ui/toast.tsx'
import styles from './footer.module.css'
import { ThemeSwitch } from './theme-switch.tsx'

/** Under every page: whom to ask, and in which language. */
export function Footer() {
  const language = useLanguage()
  return (
    <footer className={styles.foot}>
      <span>{house.brand}</span>
      <a href={`mailto:${house.supportEmail}`}>{house.supportEmail}</a>
      <span className={styles.languages} role="group" aria-label={messages.footer.language}>
        {(Object.keys(LANGUAGES) as Language[]).map((one) => (
          <button
            key={one}
            type="button"
            lang={one}
            aria-pressed={one === language}
            onClick={() => void speak(one).catch(() => toast.alert(messages.noConnection))}
          >
            {LANGUAGES[one]}
          </button>
        ))}
      </span>
      <ThemeSwitch className={styles.theme} />
    </footer>
  )
}
