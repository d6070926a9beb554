// Applies the chosen theme before the first paint: a classic script, for which the browser waits. It is a file of its own,
// since the page's policy allows no inline script. theme-switch.tsx does the same on a change.
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
