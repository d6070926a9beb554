import type { Words } from './en.ts'

export const pt: Words = {
  locale: 'pt',
  moneyLocale: 'pt',
  picture: 'Uma cassete',
  hi: (name) => (name === null ? 'Olá,' : `Olá, ${name},`),
  questions: (support) => `Perguntas? Escreva para ${support}`,
  switchOff: 'Não receber mais estes e-mails',
  quoted: (name) => `“${name}”`,
  openRequest: 'Abrir o seu pedido',
  listen: 'Ouvir a sua música',
  style: 'Estilo',
  readyBy: 'Pronta até',
  changesUntil: 'Mudanças até',
  why: 'Por quê',
  ready: {
    subject: (song) => `A sua música está pronta: ${song}`,
    text: 'A sua demo está pronta. Duas versões esperam por você na página dela.',
    gift: 'Esta é por nossa conta: não custou nenhum crédito.',
    yours: 'Ela é sua, e você pode usá-la comercialmente.',
    sentTo: (person) => `Este e-mail foi enviado para ${person}.`,
  },
  cooking: {
    subject: (song) => `A sua música está no forno: ${song}`,
    text: (credits) =>
      `Os seus créditos chegaram, e ${credits} créditos pagaram o pedido que esperava por eles. Escrevemos de novo assim que a música estiver pronta.`,
  },
  late: {
    subject: (song) => `A sua música está atrasada: ${song}`,
    text: 'Não cumprimos a nossa palavra: a sua música ainda não está pronta. Continuamos trabalhando nela, e escrevemos assim que estiver.',
    credits: 'Se preferir não esperar, cancele o pedido na página dele: todos os créditos voltam.',
    gift: 'É um presente e não custa créditos; se preferir não esperar, pode cancelar o pedido na página dele.',
  },
  back: {
    subject: (credits, song) => `${credits} créditos voltaram: ${song}`,
    cancelled: (credits) =>
      `Você cancelou este pedido, então os ${credits} créditos que ele tinha usado são seus de novo.`,
    gift: (credits) =>
      `Esta música é um presente nosso, então os ${credits} créditos que ela tinha usado são seus de novo.`,
    given: (credits) =>
      `Devolvemos o valor desta música, então os ${credits} créditos que ela tinha usado são seus de novo.`,
  },
  cancelled: { subject: (credits, song) => `${song} foi cancelada: ${credits} créditos voltaram` },
  declined: {
    subject: (song) => `Não podemos fazer ${song}`,
    subjectBack: (credits, song) => `Não podemos fazer ${song}: ${credits} créditos voltaram`,
    back: (credits) =>
      `Não conseguimos fazer esta música, então os ${credits} créditos que ela tinha usado são seus de novo.`,
    free: 'Não conseguimos fazer esta música. Ela não custou nada.',
    gift: 'Não conseguimos fazer esta música. Seria um presente e não custou nada.',
    before: (credits) =>
      `Não conseguimos fazer esta música. Os ${credits} créditos que ela tinha usado já tinham voltado para você.`,
  },
  changed: {
    subject: (song) => `As suas mudanças estão prontas: ${song}`,
    text: 'Mudamos a sua música como você pediu. A nova gravação está na página dela, ao lado da anterior.',
  },
  replaced: {
    subject: (song) => `Um arquivo da sua música foi substituído: ${song}`,
    text: 'Substituímos um arquivo da sua música. A página dela toca o novo, e a licença o nomeia.',
  },
  messages: {
    one: (song) => `Nova mensagem sobre ${song}`,
    several: (song) => `Novas mensagens sobre ${song}`,
    text: (song) => `Escrevemos para você sobre a sua música ${song}.`,
    answer: 'Responder',
  },
  receipt: {
    subject: (credits, sum) => `O seu recibo: ${credits} créditos por ${sum}`,
    transferSubject: (credits) => `A sua transferência chegou: ${credits} créditos`,
    text: 'O seu pagamento chegou, e os créditos estão na sua conta. Obrigado!',
    transferText: 'A sua transferência chegou, e os créditos estão na sua conta. Obrigado!',
    paid: 'Pago',
    credits: 'Créditos',
    method: 'Forma de pagamento',
    methods: { card: 'Cartão', naira_transfer: 'Transferência em nairas', alternate: 'Paystack' },
    date: 'Data',
    payment: 'Pagamento',
    ofProvider: 'Recibo do provedor de pagamento',
    makeSong: 'Fazer uma música',
  },
  rejected: {
    subject: 'Não encontramos a sua transferência',
    text: (support) =>
      `Procuramos a transferência que você anunciou e não a encontramos na nossa conta, por isso nenhum crédito foi adicionado. Se você a enviou, escreva para ${support} com o comprovante do banco.`,
    transfer: 'Transferência',
    open: (brand) => `Abrir ${brand}`,
  },
  reversed: {
    subject: (credits) => `O seu pagamento foi reembolsado: ${credits} créditos retirados`,
    disputedSubject: (credits) => `O seu banco contesta um pagamento: ${credits} créditos bloqueados`,
    text: (sum, credits) =>
      `Dinheiro do seu pagamento de ${sum} voltou para você, por isso os ${credits} créditos dele foram retirados.`,
    disputed: (sum, credits) =>
      `O seu banco contesta o seu pagamento de ${sum}. Até a decisão, você não pode gastar os ${credits} créditos dele.`,
    owed: (credits) =>
      `${credits} deles já tinham sido gastos: você os deve. Os seus próximos créditos pagam primeiro essa dívida, antes das músicas. Você não precisa fazer mais nada.`,
    taken: 'Retirado do seu saldo',
    owedInAll: 'Devido no total',
    credits: (credits) => `${credits} créditos`,
    statement: 'Ver o seu extrato',
  },
  closed: {
    subject: 'A sua conta está encerrada',
    text: 'A sua conta está encerrada para sempre. As suas músicas, com letras e gravações, e o seu nome, endereço e foto foram apagados. Os registros contábeis ficam, sem o seu nome.',
    last: (support) =>
      `Se não foi você, ou não era o seu desejo, escreva para ${support}. O que foi apagado não pode voltar. Este é o nosso último e-mail.`,
  },
}
