import type { VisitorTexts } from '../../messages.ts'
import type { VisitorProblems } from '../problems.ts'
import { formatsFor } from '../format.ts'

const format = formatsFor('pt')
const { plural } = format

const problems: VisitorProblems = {
  invalid_request: 'O pedido não é válido.',
  request_timeout: 'O pedido não chegou a tempo.',
  not_found: 'Não há nada aqui.',
  too_many_requests: 'Pedidos demais. Espere um momento e tente de novo.',
  internal_error: 'Algo deu errado do nosso lado. Tente de novo.',
  unavailable: 'Indisponível no momento. Tente de novo em breve.',
  not_signed_in: 'Entre na sua conta primeiro.',
  signin_failed: 'Não foi possível entrar. Tente de novo.',
  email_not_verified: 'O seu provedor de conta não confirma o seu e-mail. Verifique-o lá e entre de novo.',
  share_not_found: 'Este link não existe.',
  share_ended: 'Este link foi encerrado.',
  certificate_not_found: 'Esta licença não existe.',
  download_not_allowed: 'Esta música pode ser ouvida, mas não baixada.',
  waveform_not_ready: 'A forma de onda ainda não é conhecida.',
}

/** Portuguese, in words that serve Angola, Mozambique and Brazil; a missing key is a type error. */
export const texts: VisitorTexts & { problems: VisitorProblems } = {
  signInFirst: problems.not_signed_in,
  wordsKept: 'O que você digitou está guardado e volta quando você entrar.',
  noConnection: 'Não há conexão agora. Tente de novo.',
  somethingWrong: 'Algo deu errado. Tente de novo.',
  signInFailed: problems.signin_failed,
  emailNotVerified: problems.email_not_verified,
  problems,
  pageTitle: (brand) => `${brand}: encontre o seu sucesso antes do estúdio`,
  loading: 'Carregando…',
  tryAgain: 'Tentar de novo',
  download: 'Baixar',
  downloadBegins: 'O download começa em instantes.',
  dismiss: 'Dispensar',
  undo: 'Desfazer',
  goHome: 'Ir para o início',
  justNow: 'agora mesmo',
  version: (n) => `Versão ${n}`,
  bar: {
    signIn: (provider) => `Entrar com ${provider}`,
    balanceUnknown: 'Carregando...',
    credits: (count) => plural(count, { one: 'crédito', other: 'créditos' }, true),
    account: 'Conta',
    desk: 'Painel',
    statement: 'Extrato',
    yourData: 'Os seus dados',
    sessions: 'As suas sessões',
    logout: 'Sair',
    lightColours: 'Usar cores claras',
    darkColours: 'Usar cores escuras',
  },
  landing: {
    welcome: 'Bem-vindo',
    tagline: 'Encontre o seu sucesso antes de entrar no estúdio!',
    pitch:
      'Traga a letra e o som que você tem na cabeça. Receba duas demos prontas, cantadas e produzidas. Suas para guardar, suas para vender.',
    tryNow: 'Experimentar',
    price: (price, takes) =>
      `${plural(price, { one: `${price} crédito`, other: `${price} créditos` })} por música · ${plural(takes, { one: `${takes} versão`, other: `${takes} versões` })}`,
    samples: 'Músicas de exemplo',
    listen: 'A mesma letra, a mesma melodia, duas versões. Ouça.',
    takes: (count) => plural(count, { one: `demo · ${count} versão`, other: `demo · ${count} versões` }),
    play: (take, artist) => `Ouvir o exemplo ${take} de ${artist}`,
    side: (take) => `Lado ${take}`,
    how: 'Como funciona',
    steps: [
      {
        title: 'Traga as palavras',
        text: 'Cole a sua letra, completa ou não, e descreva o gênero, a velocidade, a voz e os instrumentos.',
      },
      {
        title: 'Nós preparamos',
        text: 'Duas versões da sua música são cantadas, tocadas e mixadas. Você recebe um e-mail quando estiverem prontas.',
      },
      {
        title: 'Compare e guarde',
        text: 'Alterne entre a Versão 1 e a Versão 2 no mesmo compasso. Baixe as duas. Depois reserve o estúdio, ou não.',
      },
    ],
    priceTitle: 'O preço',
    priceUnit: 'créditos por música',
    priceText: (smallest, songs) =>
      `As duas versões incluídas. Um crédito é um dólar americano; a menor recarga é de ${format.price(smallest, 'USD')}, o bastante para ${plural(songs, { one: `${songs} música`, other: `${songs} músicas` })}. Sem assinatura.`,
    ownTitle: 'A música é sua',
    ownText:
      'As músicas geradas pertencem a você e podem ter uso comercial: lance, apresente, ofereça, venda.',
    questions: 'Perguntas',
    answers: [
      {
        question: 'Quanto tempo demora?',
        answer:
          'O formulário diz quando uma música paga agora estará pronta: depois que a sua é paga, a hora não muda mais. Se nos atrasarmos, você pode receber todos os seus créditos de volta.',
      },
      {
        question: 'A minha letra não está terminada. Posso enviar mesmo assim?',
        answer: 'Sim. Envie o que tiver; um verso e um refrão bastam para ouvir se a música está lá.',
      },
      {
        question: 'O que é que eu recebo?',
        answer:
          'Duas versões prontas da mesma música em arquivos de áudio, para ouvir no seu álbum e para baixar.',
      },
      {
        question: 'E se eu não tiver créditos suficientes?',
        answer:
          'O seu pedido fica guardado e espera. Ele começa sozinho assim que os créditos chegarem; não é preciso enviar nada de novo.',
      },
      {
        question: 'Como posso pagar?',
        answer:
          'Com cartão, de qualquer lugar. Na Nigéria também por transferência em nairas; os créditos entram em até uma hora.',
      },
      {
        question: 'Quem mais vê a minha letra?',
        answer: 'Só você e as pessoas que fazem a sua música. Nós não publicamos nada.',
      },
    ],
    otherQuestion: 'Outra coisa? Escreva para',
    start: 'Começar a minha primeira demo',
  },
  footer: { language: 'Idioma', terms: 'Termos', privacy: 'Privacidade', imprint: 'Informações legais' },
  notFound: {
    title: 'Página não encontrada',
    text: 'Não há nada neste endereço. A música deve estar em outro lugar.',
  },
  unreachable: {
    offline: 'Você está sem internet',
    noAnswer: 'O servidor não responde',
    text: 'As suas músicas estão seguras, e o que você digitou nesta aba fica guardado. Esta página continua assim que a conexão voltar.',
    retrying: 'tentando de novo…',
  },
  errorPage: {
    title: 'A fita enroscou',
    text: 'Esta parte da página não pôde ser mostrada. As suas músicas e o que você digitou ficam guardados.',
    reload: 'Carregar a página de novo',
  },
  /** Of a song that is charged now. */
  promise: {
    readyBy: (when) => `Pronta até ${when}`,
    ifPaidNow: (when) => `Pronta até ${when}, se você pagar agora`,
  },
  share: {
    by: (artist) => `de ${artist}`,
    download: (version) => `Baixar ${version}`,
    madeWith: (brand) => `Feito com ${brand}: as suas palavras, duas versões.`,
  },
  made: {
    title: 'Como foi feita',
    notStated: 'Não informado',
    people: 'Feita por pessoas',
    assisted: 'Feita com a ajuda de IA',
    ai: 'Feita por IA',
  },
  licence: {
    title: 'Licença',
    valid: 'Válida',
    notValid: 'Não válida',
    refunded: 'Os créditos desta música foram devolvidos.',
    replaced: 'Gravações mais novas substituíram estes arquivos.',
    newer: 'A licença mais nova',
    hash: (sha256) => `SHA-256 ${sha256}`,
    issued: (when) => `Emitida em ${when}`,
    allowed:
      'Esta música pertence à pessoa que a encomendou e pode ser usada comercialmente: lançada, apresentada, oferecida, vendida.',
    noRegistration: 'Isto é uma permissão, e não um registro de direito autoral.',
    noName: 'O nome em uma licença impressa não faz parte desta verificação.',
    check: 'Verificar um arquivo',
    stays: 'Escolha um arquivo ou solte-o aqui. Ele fica neste aparelho.',
    same: 'É este o arquivo.',
    other: 'Não é este o arquivo.',
    unreadable: 'Não foi possível ler este arquivo.',
  },
  player: {
    playVersion: (version) => `Ouvir ${version}`,
    takeOf: (version, n) => `${version}, gravação ${n}`,
    title: 'Reprodutor',
    play: 'Reproduzir',
    pause: 'Pausar',
    nowPlaying: (version) => `${version} em reprodução`,
    lyrics: 'Letra',
    pressPlay: 'Aperte reproduzir para ouvir.',
    failed: {
      now: 'Esta versão não pode ser reproduzida agora.',
      here: 'Este navegador não toca este tipo de arquivo. Outro navegador ou programa talvez toque.',
    },
    noWaveform: 'Esta versão não tem forma de onda. Ela toca mesmo assim.',
    position: 'Posição',
    positionOf: (at, whole) => `${at} de ${whole}`,
    version: 'Versão',
    download: 'Abrir',
    save: 'Salvar',
  },
}
