import type { Messages } from '../messages.ts'
import { formatsFor } from './format.ts'

const format = formatsFor('fr')
const { plural } = format

const credits = (count: number): string =>
  `${format.credits(count)} ${plural(count, { one: 'crédit', other: 'crédits' }, true)}`

export const desk: Messages['desk'] = {
  tabs: {
    todo: 'À faire',
    studio: 'En studio',
    changes: 'Modifications',
    late: 'En retard',
    delivered: 'Livrées',
  },
  requests: 'Demandes',
  empty: 'Rien ici.',
  choose: 'Choisissez une demande dans la liste.',
  requested: (when) => `demandée ${when}`,
  startedAt: (when) => `en studio depuis ${when}`,
  readyBy: (when) => `Prête au plus tard le ${when}`,
  late: (when) => `En retard : promise pour le ${when}`,
  changesAsked: (when) => `Modifications demandées ${when}`,
  delivered: (when) => `livrée ${when}`,
  closed: (when) => `close ${when}`,
  corrected: (when) => `La personne a changé les textes ${when}.`,
  start: 'Commencer',
  started: 'La chanson est en studio. Son propriétaire ne peut plus la changer ni l’annuler.',
  release: 'Remettre',
  released: 'La chanson est de nouveau dans la liste.',
  decline: 'Refuser',
  declined: 'Demande refusée.',
  declineQuestion: (name) => `Refuser la demande de ${name} ?`,
  creditsGoBack: (count, name) => `${credits(count)} reviennent à ${name}. C’est irréversible.`,
  nothingGoesBack: 'Elle n’a pas été débitée, aucun crédit ne revient. C’est irréversible.',
  declineMail: (email) => `Le motif part à ${email} par e-mail et figure dans son album.`,
  note: 'Note interne',
  noteHint: 'Seul l’opérateur la voit.',
  noteStates: { saving: 'Enregistrement…', saved: 'Enregistrée' },
  notes: 'Remarques',
  playFrom: (version, at) => `Écouter ${version} à partir de ${at}`,
  others: 'Autres chansons de cette personne',
  noOthers: 'C’est sa seule chanson.',
  delivery: 'Livraison',
  dropBoth: 'Déposez les deux fichiers n’importe où sur cette page, ou choisissez-les ici.',
  dropChanges: 'De nouveaux enregistrements d’une version ou des deux. Les précédents restent disponibles.',
  play: (name) => `Écouter ${name}`,
  pause: (name) => `Suspendre ${name}`,
  swap: 'Échanger',
  checks: 'Contrôles',
  checking: 'Contrôle…',
  unreadable: 'Ce navigateur ne peut pas contrôler le fichier.',
  duration: (time) => `Durée ${time}`,
  loudness: (lufs) => `Volume ${format.tenth(lufs)} LUFS`,
  peak: (decibels) => `Crête ${format.tenth(decibels)} dB`,
  silence: (before, after) => `Silence : ${format.tenth(before)} s avant, ${format.tenth(after)} s après`,
  clipping: (count) =>
    count === 0
      ? 'Pas de saturation'
      : `Saturation à ${format.whole(count)} ${plural(count, { one: 'endroit', other: 'endroits' })}`,
  same: 'Les deux fichiers sont identiques.',
  short: (name) => `${name} dure moins de 30 s.`,
  onlySilence: (name) => `${name} est silencieuse.`,
  beginsSilent: (name) => `${name} commence par un silence.`,
  endsSilent: (name) => `${name} finit par un silence.`,
  clipped: (name) => `${name} est saturée.`,
  askToDeliver: 'Livrer…',
  deliverQuestion: (name) => `Livrer à ${name} ?`,
  deliver: 'Livrer',
  back: 'Retour',
  doubtQuestion: 'Livrer quand même ?',
  deliverAnyway: 'Livrer quand même',
  oneAtATime: 'Une autre livraison est en cours. Attendez qu’elle soit terminée.',
  oneVersion: 'Choisissez au moins un nouveau fichier.',
  changesDelivered: 'Modifications livrées.',
}
