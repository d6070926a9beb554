/** A sentence in which what stands between asterisks is strong: `You *must* do it.` */
export const Strong = ({ text }: { text: string }) =>
  text.split('*').map((part, index) => (index % 2 === 1 ? <strong key={part}>{part}</strong> : part))
