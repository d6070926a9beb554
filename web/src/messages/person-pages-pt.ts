import type { PersonPages } from '../messages.ts'
import { formatsFor } from './format.ts'
import { credits, problems } from './pt.ts'

const format = formatsFor('pt')
const { plural } = format

export const personPages: PersonPages = {
  yourData: {
    title: 'Os seus dados',
    holds:
      'Todos os dados que guardamos sobre você, em um arquivo ZIP: o seu perfil, as suas músicas com letra e áudio, o seu extrato, os seus pagamentos e uma lista dos e-mails que lhe enviamos.',
    download: 'Baixar os seus dados',
    close: 'Encerrar a sua conta',
    operatorStays: problems.operator_stays,
    irreversible: 'Isto vale imediatamente e não pode ser desfeito. Baixe os seus dados primeiro.',
    losesReady: (count) =>
      plural(count, {
        one: 'A sua música pronta é apagada, com o áudio.',
        other: `As suas ${count} músicas prontas são apagadas, com o áudio.`,
      }),
    losesCooking: (count) =>
      plural(count, {
        one: 'A música que está no forno é cancelada, e os créditos dela não são devolvidos.',
        other: `As ${count} músicas que estão no forno são canceladas, e os créditos delas não são devolvidos.`,
      }),
    losesWaiting: (count) =>
      plural(count, {
        one: 'O pedido à espera de créditos é apagado.',
        other: `Os ${count} pedidos à espera de créditos são apagados.`,
      }),
    losesCredits: (count, supportEmail) =>
      `${plural(count, { one: `O seu saldo de ${credits(count)} é perdido`, other: `Os seus ${credits(count)} são perdidos` }, true)}. Se quiser um reembolso, escreva antes para ${supportEmail}.`,
    losesName:
      'O seu nome, o seu e-mail e a sua foto são apagados, e a sua conta sai de todos os navegadores.',
    stays:
      'Os registros contábeis permanecem: valores e datas, sem o seu nome. Se entrar de novo, você começa com uma conta vazia.',
    inDebt: (debt) =>
      `Você deve ${credits(debt)} de um pagamento estornado. Quite a dívida, ou escreva para nós, antes de encerrar a conta.`,
    underWay:
      'Um dos seus pagamentos ainda está em andamento. Você pode encerrar a conta quando ele for concluído, ou escrever para nós.',
    confirm: 'Digite o seu e-mail para confirmar',
    wrongConfirmation: problems.wrong_confirmation,
    closePermanently: 'Encerrar a minha conta para sempre',
    closed: 'A sua conta está encerrada e os seus dados foram apagados.',
    signInAgain:
      'O seu último acesso já faz algum tempo. Entre de novo para baixar os seus dados ou encerrar a conta.',
  },
  brief: {
    title: 'Briefing',
    hint: 'Nada aqui é obrigatório.',
    labels: {
      genre: 'Gênero',
      mood: 'Clima',
      tempo: 'Andamento',
      voice: 'Voz',
      language: 'Idioma',
      instruments: 'Instrumentos',
      reference: 'Referência',
    },
    keepWords: 'Manter as minhas palavras exatamente',
    yes: 'sim',
    tempoOf: (bpm) => `${bpm} BPM`,
    tempoPlaceholder: 'BPM',
    instrumentsHint: 'Separados por vírgulas.',
    referenceHint: 'O endereço de uma música parecida.',
    choices: {
      genre: ['afrobeats', 'gospel soul', 'highlife', 'indie pop', 'amapiano'],
      mood: ['alegre', 'terna', 'saudosa', 'rebelde', 'calma'],
      voice: ['voz feminina quente', 'voz masculina rouca', 'coro'],
      language: ['português', 'inglês', 'iorubá', 'igbo', 'pidgin', 'francês'],
      instruments: ['violão', 'Rhodes', 'baixo', 'metais', 'tambor falante', 'cordas'],
    },
    tooLong: (most) =>
      plural(most, { one: `No máximo ${most} caractere.`, other: `No máximo ${most} caracteres.` }),
    wrongTempo: (least, most) => `Um número inteiro de ${least} a ${most}.`,
    tooMany: (most) =>
      plural(most, { one: `No máximo ${most} instrumento.`, other: `No máximo ${most} instrumentos.` }),
    wrongReference: 'Um endereço que começa com https://',
    sections: { Verse: 'Verso', Chorus: 'Refrão', Bridge: 'Ponte' },
    putBack: 'Voltar ao que eu estava escrevendo',
  },
  library: {
    favourites: 'Favoritas',
    archived: 'Arquivadas',
    sort: 'Ordenar',
    newest: 'Mais recentes',
    byTitle: 'Por título',
    rename: 'Renomear',
    title: 'Título',
    favourite: 'Favorita',
    askAgain: 'Pedir de novo',
    askedAgain: 'O formulário tem as palavras desta música. Mude o que quiser.',
    archive: 'Arquivar',
    restore: 'Voltar ao álbum',
    archivedDone: 'Arquivada. Ela está em “Arquivadas” no seu álbum.',
    restoredDone: 'De volta ao seu álbum.',
    prefer: (version) => `Preferir ${version}`,
  },
  sharing: {
    share: 'Compartilhar',
    hint: 'Quem tem o link ouve a música, sem conta, até você encerrá-lo.',
    lyrics: 'Mostrar a letra',
    download: 'Permitir baixar',
    expires: 'Expira',
    never: 'Nunca',
    days: (days) => plural(days, { one: `Depois de ${days} dia`, other: `Depois de ${days} dias` }),
    make: 'Criar link',
    noVersion: 'Escolha pelo menos uma versão.',
    link: 'Link',
    copy: 'Copiar',
    copied: 'link copiado!',
    links: 'Links',
    none: 'Ainda não há links.',
    withLyrics: 'com a letra',
    withDownload: 'com download',
    plays: (count) =>
      plural(count, { one: `${count} reprodução`, other: `${format.whole(count)} reproduções` }),
    until: (when) => `até ${when}`,
    ended: (when) => `encerrado ${when}`,
    end: 'Encerrar link',
    endDone: 'O link foi encerrado.',
  },
}
