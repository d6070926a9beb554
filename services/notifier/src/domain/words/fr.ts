import type { Words } from './en.ts'

export const fr: Words = {
  locale: 'fr',
  moneyLocale: 'fr',
  picture: 'Une cassette',
  hi: (name) => (name === null ? 'Bonjour,' : `Bonjour ${name},`),
  questions: (support) => `Des questions ? Écrivez à ${support}`,
  switchOff: 'Ne plus recevoir ces e-mails',
  quoted: (name) => `« ${name} »`,
  openRequest: 'Ouvrir votre demande',
  listen: 'Écouter votre chanson',
  style: 'Style',
  readyBy: 'Prête d’ici',
  changesUntil: 'Modifications jusqu’à',
  why: 'Pourquoi',
  ready: {
    subject: (song) => `Votre chanson est prête : ${song}`,
    text: 'Votre démo est terminée. Deux versions vous attendent sur sa page.',
    gift: 'Celle-ci est offerte : elle ne vous a coûté aucun crédit.',
    yours: 'Elle vous appartient, et vous pouvez l’utiliser commercialement.',
    sentTo: (person) => `Cet e-mail a été envoyé à ${person}.`,
  },
  cooking: {
    subject: (song) => `Votre chanson est en cuisine : ${song}`,
    text: (credits) =>
      `Vos crédits sont arrivés, et ${credits} crédits ont payé la demande qui les attendait. Nous vous écrirons dès que la chanson sera prête.`,
  },
  late: {
    subject: (song) => `Votre chanson est en retard : ${song}`,
    text: 'Nous n’avons pas tenu parole : votre chanson n’est pas encore prête. Nous y travaillons toujours, et nous vous écrirons dès qu’elle sera là.',
    credits:
      'Si vous préférez ne pas attendre, annulez la demande sur sa page : tous ses crédits reviennent.',
    gift: 'Elle est offerte et ne coûte aucun crédit ; si vous préférez ne pas attendre, vous pouvez annuler la demande sur sa page.',
  },
  back: {
    subject: (credits, song) => `${credits} crédits sont de retour : ${song}`,
    cancelled: (credits) =>
      `Vous avez annulé cette demande : les ${credits} crédits qu’elle avait pris sont de nouveau à vous.`,
    gift: (credits) =>
      `Nous vous offrons cette chanson : les ${credits} crédits qu’elle avait pris sont de nouveau à vous.`,
    given: (credits) =>
      `Nous remboursons cette chanson : les ${credits} crédits qu’elle avait pris sont de nouveau à vous.`,
  },
  cancelled: { subject: (credits, song) => `${song} est annulée : ${credits} crédits sont de retour` },
  declined: {
    subject: (song) => `Nous ne pouvons pas faire ${song}`,
    subjectBack: (credits, song) => `Nous ne pouvons pas faire ${song} : ${credits} crédits sont de retour`,
    back: (credits) =>
      `Nous n’avons pas pu faire cette chanson : les ${credits} crédits qu’elle avait pris sont de nouveau à vous.`,
    free: 'Nous n’avons pas pu faire cette chanson. Elle ne vous a rien coûté.',
    gift: 'Nous n’avons pas pu faire cette chanson. Elle devait être offerte et ne vous a rien coûté.',
    before: (credits) =>
      `Nous n’avons pas pu faire cette chanson. Les ${credits} crédits qu’elle avait pris vous ont été rendus auparavant.`,
  },
  changed: {
    subject: (song) => `Vos modifications sont prêtes : ${song}`,
    text: 'Nous avons modifié votre chanson comme vous l’aviez demandé. Le nouvel enregistrement est sur sa page, à côté du précédent.',
  },
  replaced: {
    subject: (song) => `Un fichier de votre chanson a été remplacé : ${song}`,
    text: 'Nous avons remplacé un fichier de votre chanson. Sa page joue le nouveau, et sa licence le nomme.',
  },
  messages: {
    one: (song) => `Nouveau message sur ${song}`,
    several: (song) => `Nouveaux messages sur ${song}`,
    text: (song) => `Nous vous avons écrit au sujet de votre chanson ${song}.`,
    answer: 'Répondre',
  },
  receipt: {
    subject: (credits, sum) => `Votre reçu : ${credits} crédits pour ${sum}`,
    transferSubject: (credits) => `Votre virement est arrivé : ${credits} crédits`,
    text: 'Votre paiement est arrivé, et les crédits sont sur votre compte. Merci !',
    transferText: 'Votre virement est arrivé, et les crédits sont sur votre compte. Merci !',
    paid: 'Payé',
    credits: 'Crédits',
    method: 'Moyen de paiement',
    methods: { card: 'Carte', naira_transfer: 'Virement en nairas', alternate: 'Paystack' },
    date: 'Date',
    payment: 'Paiement',
    ofProvider: 'Reçu du prestataire de paiement',
    makeSong: 'Faire une chanson',
  },
  rejected: {
    subject: 'Nous n’avons pas trouvé votre virement',
    text: (support) =>
      `Nous avons cherché le virement que vous aviez annoncé sans le trouver sur notre compte ; aucun crédit n’a été ajouté. Si vous l’avez envoyé, écrivez à ${support} en joignant le reçu de votre banque.`,
    transfer: 'Virement',
    open: (brand) => `Ouvrir ${brand}`,
  },
  reversed: {
    subject: (credits) => `Votre paiement a été remboursé : ${credits} crédits repris`,
    disputedSubject: (credits) => `Votre banque conteste un paiement : ${credits} crédits bloqués`,
    text: (sum, credits) =>
      `De l’argent de votre paiement de ${sum} vous a été rendu ; ses ${credits} crédits ont donc été repris.`,
    disputed: (sum, credits) =>
      `Votre banque conteste votre paiement de ${sum}. En attendant la décision, vous ne pouvez pas dépenser ses ${credits} crédits.`,
    owed: (credits) =>
      `${credits} étaient déjà dépensés : vous les devez. Vos prochains crédits règlent d’abord cette dette, avant de payer des chansons. Vous n’avez rien d’autre à faire.`,
    taken: 'Repris de votre solde',
    owedInAll: 'Dû en tout',
    credits: (credits) => `${credits} crédits`,
    statement: 'Voir votre relevé',
  },
  closed: {
    subject: 'Votre compte est fermé',
    text: 'Votre compte est définitivement fermé. Vos chansons, leurs paroles et leurs enregistrements, ainsi que votre nom, votre adresse et votre photo sont effacés. Les écritures comptables restent, sans votre nom.',
    last: (support) =>
      `Si ce n’était pas vous, ou pas votre souhait, écrivez à ${support}. Ce qui est effacé ne peut être récupéré. C’est notre dernier e-mail.`,
  },
}
