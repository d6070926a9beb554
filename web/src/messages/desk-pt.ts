import type { Messages } from '../messages.ts'
import { formatsFor } from './format.ts'

const format = formatsFor('pt')
const { plural } = format

const credits = (count: number): string =>
  `${format.credits(count)} ${plural(count, { one: 'crédito', other: 'créditos' }, true)}`

export const desk: Messages['desk'] = {
  tabs: {
    todo: 'A fazer',
    studio: 'No estúdio',
    changes: 'Alterações',
    late: 'Atrasadas',
    delivered: 'Entregues',
  },
  requests: 'Pedidos',
  empty: 'Nada aqui.',
  choose: 'Escolha um pedido da lista.',
  requested: (when) => `pedida ${when}`,
  startedAt: (when) => `no estúdio desde ${when}`,
  readyBy: (when) => `Pronta até ${when}`,
  late: (when) => `Atrasada: prometida para ${when}`,
  changesAsked: (when) => `Alterações pedidas ${when}`,
  delivered: (when) => `entregue ${when}`,
  closed: (when) => `encerrada ${when}`,
  corrected: (when) => `A pessoa mudou os textos ${when}.`,
  start: 'Começar',
  started: 'A música está no estúdio. A pessoa já não pode mudá-la nem cancelá-la.',
  release: 'Devolver',
  released: 'A música voltou à lista.',
  decline: 'Recusar',
  declined: 'Pedido recusado.',
  declineQuestion: (name) => `Recusar o pedido de ${name}?`,
  creditsGoBack: (count, name) => `${credits(count)} voltam para ${name}. Isto não pode ser desfeito.`,
  nothingGoesBack: 'Não foi cobrada, então nenhum crédito volta. Isto não pode ser desfeito.',
  declineMail: (email) => `O motivo vai para ${email} por e-mail e fica no álbum da pessoa.`,
  note: 'Nota interna',
  noteHint: 'Só o operador a vê.',
  noteStates: { saving: 'Salvando…', saved: 'Salva' },
  notes: 'Observações',
  playFrom: (version, at) => `Ouvir ${version} a partir de ${at}`,
  others: 'Outras músicas desta pessoa',
  noOthers: 'É a única.',
  delivery: 'Entrega',
  dropBoth: 'Solte os dois arquivos em qualquer lugar desta página ou escolha-os aqui.',
  dropChanges: 'Novas gravações de uma versão ou das duas. As anteriores continuam disponíveis.',
  play: (name) => `Ouvir ${name}`,
  pause: (name) => `Pausar ${name}`,
  swap: 'Trocar',
  checks: 'Verificações',
  checking: 'Verificando…',
  unreadable: 'Este navegador não consegue verificar o arquivo.',
  duration: (time) => `Duração ${time}`,
  loudness: (lufs) => `Volume ${format.tenth(lufs)} LUFS`,
  peak: (decibels) => `Pico ${format.tenth(decibels)} dB`,
  silence: (before, after) => `Silêncio: ${format.tenth(before)} s antes, ${format.tenth(after)} s depois`,
  clipping: (count) =>
    count === 0
      ? 'Sem saturação'
      : `Saturação em ${format.whole(count)} ${plural(count, { one: 'ponto', other: 'pontos' })}`,
  same: 'Os dois arquivos são iguais.',
  short: (name) => `${name} tem menos de 30 s.`,
  onlySilence: (name) => `${name} está em silêncio.`,
  beginsSilent: (name) => `${name} começa com silêncio.`,
  endsSilent: (name) => `${name} termina com silêncio.`,
  clipped: (name) => `${name} está saturada.`,
  askToDeliver: 'Entregar…',
  deliverQuestion: (name) => `Entregar a ${name}?`,
  deliver: 'Entregar',
  back: 'Voltar',
  doubtQuestion: 'Entregar mesmo assim?',
  deliverAnyway: 'Entregar mesmo assim',
  oneAtATime: 'Outra entrega está em andamento. Espere que ela termine.',
  oneVersion: 'Escolha pelo menos um arquivo novo.',
  changesDelivered: 'Alterações entregues.',
}
