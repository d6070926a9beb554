import type { PersonPages } from '../messages.ts'
import { formatsFor } from './format.ts'

const format = formatsFor('pt')
const { plural } = format

export const personPages: PersonPages = {
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
    tempoPlaceholder: 'batidas por minuto',
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
