import type { PersonPages } from '../messages.ts'
import { formatsFor } from './format.ts'
import { credits, problems } from './fr.ts'

const format = formatsFor('fr')
const { plural } = format

export const personPages: PersonPages = {
  yourData: {
    title: 'Vos données',
    holds:
      'Toutes les données que nous conservons sur vous, en un seul fichier ZIP : votre profil, vos chansons avec leurs paroles et leur audio, votre relevé, vos paiements et la liste des e-mails que nous vous avons envoyés.',
    download: 'Télécharger vos données',
    close: 'Fermer votre compte',
    operatorStays: problems.operator_stays,
    irreversible: 'L’effet est immédiat et irréversible. Téléchargez d’abord vos données.',
    losesReady: (count) =>
      plural(count, {
        one: 'Votre chanson prête est supprimée, avec son audio.',
        other: `Vos ${count} chansons prêtes sont supprimées, avec leur audio.`,
      }),
    losesCooking: (count) =>
      plural(count, {
        one: 'La chanson en cuisine est annulée, et ses crédits ne sont pas remboursés.',
        other: `Les ${count} chansons en cuisine sont annulées, et leurs crédits ne sont pas remboursés.`,
      }),
    losesWaiting: (count) =>
      plural(count, {
        one: 'La demande en attente de crédits est supprimée.',
        other: `Les ${count} demandes en attente de crédits sont supprimées.`,
      }),
    losesCredits: (count, supportEmail) =>
      `${plural(count, { one: `Votre solde de ${credits(count)} est perdu`, other: `Vos ${credits(count)} sont perdus` }, true)}. Si vous voulez être remboursé, écrivez d’abord à ${supportEmail}.`,
    losesName:
      'Votre nom, votre adresse e-mail et votre photo sont supprimés, et vous êtes déconnecté partout.',
    stays:
      'Les écritures comptables sont conservées : montants et dates, sans votre nom. Si vous vous reconnectez, vous commencez avec un compte vide.',
    inDebt: (debt) =>
      `Vous devez ${credits(debt)} pour un paiement annulé. Réglez-les, ou écrivez-nous, avant de fermer votre compte.`,
    underWay:
      'Un de vos paiements est encore en cours. Vous pourrez fermer votre compte une fois qu’il est réglé, ou écrivez-nous.',
    confirm: 'Tapez votre adresse e-mail pour confirmer',
    wrongConfirmation: problems.wrong_confirmation,
    closePermanently: 'Fermer mon compte pour toujours',
    closed: 'Votre compte est fermé et vos données sont supprimées.',
    signInAgain:
      'Votre dernière connexion date un peu. Reconnectez-vous pour télécharger vos données ou fermer votre compte.',
  },
  brief: {
    title: 'Brief',
    hint: 'Rien n’est obligatoire ici.',
    labels: {
      genre: 'Genre',
      mood: 'Ambiance',
      tempo: 'Tempo',
      voice: 'Voix',
      language: 'Langue',
      instruments: 'Instruments',
      reference: 'Référence',
    },
    keepWords: 'Garder mes mots tels quels',
    yes: 'oui',
    tempoOf: (bpm) => `${bpm} BPM`,
    tempoPlaceholder: 'BPM',
    instrumentsHint: 'Séparés par des virgules.',
    referenceHint: 'L’adresse d’une chanson qui y ressemble.',
    choices: {
      genre: ['afrobeats', 'gospel soul', 'highlife', 'pop indé', 'amapiano'],
      mood: ['joyeuse', 'tendre', 'nostalgique', 'rebelle', 'calme'],
      voice: ['voix de femme chaude', 'voix d’homme rauque', 'chœur'],
      language: ['français', 'anglais', 'yoruba', 'igbo', 'pidgin', 'portugais'],
      instruments: ['guitare acoustique', 'Rhodes', 'basse', 'cuivres', 'tambour parlant', 'cordes'],
    },
    tooLong: (most) =>
      plural(most, { one: `${most} caractère au plus.`, other: `${most} caractères au plus.` }),
    wrongTempo: (least, most) => `Un nombre entier de ${least} à ${most}.`,
    tooMany: (most) =>
      plural(most, { one: `${most} instrument au plus.`, other: `${most} instruments au plus.` }),
    wrongReference: 'Une adresse qui commence par https://',
    sections: { Verse: 'Couplet', Chorus: 'Refrain', Bridge: 'Pont' },
    putBack: 'Reprendre ce que j’écrivais',
  },
  library: {
    favourites: 'Favorites',
    archived: 'Archivées',
    sort: 'Trier',
    newest: 'Les plus récentes',
    byTitle: 'Par titre',
    rename: 'Renommer',
    title: 'Titre',
    favourite: 'Favorite',
    askAgain: 'Demander à nouveau',
    askedAgain: 'Le formulaire contient les mots de cette chanson. Changez ce que vous voulez.',
    archive: 'Archiver',
    restore: 'Remettre dans l’album',
    archivedDone: 'Archivée. Elle se trouve sous « Archivées » dans votre album.',
    restoredDone: 'De retour dans votre album.',
    prefer: (version) => `Préférer ${version}`,
  },
  sharing: {
    share: 'Partager',
    hint: 'Qui a le lien entend la chanson, sans compte, jusqu’à ce que vous y mettiez fin.',
    lyrics: 'Montrer les paroles',
    download: 'Autoriser le téléchargement',
    expires: 'Expire',
    never: 'Jamais',
    days: (days) => plural(days, { one: `Après ${days} jour`, other: `Après ${days} jours` }),
    make: 'Créer le lien',
    noVersion: 'Choisissez au moins une version.',
    link: 'Lien',
    copy: 'Copier',
    copied: 'lien copié !',
    links: 'Liens',
    none: 'Pas encore de lien.',
    withLyrics: 'avec les paroles',
    withDownload: 'avec téléchargement',
    plays: (count) => plural(count, { one: `${count} écoute`, other: `${format.whole(count)} écoutes` }),
    until: (when) => `jusqu’à ${when}`,
    ended: (when) => `terminé ${when}`,
    end: 'Mettre fin au lien',
    endDone: 'Le lien est terminé.',
  },
}
