/** Renders text between asterisks as <strong>: `You *must* do it.` */
export const Strong = ({ text }: { text: string }) =>
  text.split('*').map((part, index) => (index % 2 === 1 ? <strong key={part}>{part}</strong> : part))
