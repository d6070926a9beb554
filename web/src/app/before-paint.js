// Runs before the first paint: a classic script, for which the browser waits. It is a file of its own, since the page's policy
// allows no inline script, and is not built: every browser reads it as it is.

// Applies the chosen theme. theme-switch.tsx does the same on a change.
const chosenTheme = (() => {
  try {
    return localStorage.getItem('theme')
  } catch {
    return null
  }
})()
if (chosenTheme === 'light' || chosenTheme === 'dark') {
  document.documentElement.dataset.theme = chosenTheme
  for (const meta of document.querySelectorAll('meta[name=theme-color]'))
    meta.media = meta.dataset.theme === chosenTheme ? 'all' : 'not all'
}

// Says that a browser is too old (build/oldest-browsers.ts), in which the app is an empty page or fails later.
const tooOld = {
  en: 'This browser is too old for this page. It needs Chrome 111, Firefox 121, Safari 16.4 or iOS 16.4, or a newer one.',
  fr: 'Ce navigateur est trop ancien pour cette page. Il faut Chrome 111, Firefox 121, Safari 16.4 ou iOS 16.4, ou un plus récent.',
  pt: 'Este navegador é antigo demais para esta página. É preciso Chrome 111, Firefox 121, Safari 16.4 ou iOS 16.4, ou um mais novo.',
}
if (
  !['selector(:has(a))', 'color: color-mix(in srgb, red, red)', 'width: 1lh'].every((one) =>
    CSS.supports(`(${one})`),
  )
)
  document.addEventListener('DOMContentLoaded', () => {
    const sentence = document.createElement('p')
    sentence.setAttribute('role', 'alert')
    sentence.textContent = tooOld[navigator.language.slice(0, 2)] || tooOld.en
    document.body.insertBefore(sentence, document.body.firstChild)
  })
