import type { VisitorTexts } from '../../messages.ts'
import type { VisitorProblems } from '../problems.ts'
import { formatsFor } from '../format.ts'

const format = formatsFor('fr')
const { plural } = format

// a no-break space (U+00A0) precedes : ; ! ? % $, so that no line begins with them

const problems: VisitorProblems = {
  invalid_request: 'La demande n’est pas valable.',
  request_timeout: 'La demande n’est pas arrivée à temps.',
  not_found: 'Il n’y a rien ici.',
  too_many_requests: 'Trop de demandes. Attendez un moment et réessayez.',
  internal_error: 'Une erreur s’est produite de notre côté. Veuillez réessayer.',
  unavailable: 'Indisponible pour le moment. Veuillez réessayer bientôt.',
  not_signed_in: 'Veuillez d’abord vous connecter.',
  signin_failed: 'La connexion n’a pas abouti. Veuillez réessayer.',
  email_not_verified:
    'Votre fournisseur de compte ne confirme pas votre adresse e-mail. Vérifiez-la chez lui et reconnectez-vous.',
  share_not_found: 'Ce lien n’existe pas.',
  share_ended: 'Ce lien n’est plus valable.',
  certificate_not_found: 'Cette licence n’existe pas.',
  download_not_allowed: 'Cette chanson peut être écoutée, mais pas téléchargée.',
  waveform_not_ready: 'La forme d’onde n’est pas encore connue.',
}

/** French; a missing key is a type error. */
export const texts: VisitorTexts & { problems: VisitorProblems } = {
  signInFirst: problems.not_signed_in,
  wordsKept: 'Ce que vous avez tapé est gardé, et revient une fois que vous êtes connecté.',
  noConnection: 'Pas de connexion pour le moment. Veuillez réessayer.',
  somethingWrong: 'Une erreur s’est produite. Veuillez réessayer.',
  signInFailed: problems.signin_failed,
  emailNotVerified: problems.email_not_verified,
  problems,
  pageTitle: (brand) => `${brand} : trouvez votre tube avant le studio`,
  loading: 'Chargement…',
  tryAgain: 'Réessayer',
  download: 'Télécharger',
  downloadBegins: 'Le téléchargement commence dans un instant.',
  dismiss: 'Fermer ce message',
  undo: 'Annuler',
  goHome: 'Accueil',
  justNow: 'à l’instant',
  version: (n) => `Version ${n}`,
  bar: {
    signIn: (provider) => `Se connecter avec ${provider}`,
    balanceUnknown: 'Chargement...',
    credits: (count) => plural(count, { one: 'crédit', other: 'crédits' }, true),
    account: 'Compte',
    desk: 'Bureau',
    statement: 'Relevé',
    yourData: 'Vos données',
    sessions: 'Vos sessions',
    logout: 'Se déconnecter',
    lightColours: 'Couleurs claires',
    darkColours: 'Couleurs sombres',
  },
  landing: {
    welcome: 'Bienvenue',
    tagline: 'Trouvez votre tube avant d’entrer en studio !',
    pitch:
      'Apportez des paroles et le son que vous avez en tête. Recevez deux prises finies, chantées et produites. À garder, à vendre.',
    tryNow: 'Essayer',
    price: (price, takes) =>
      `${price} ${plural(price, { one: 'crédit', other: 'crédits' })} la chanson · ${takes} ${plural(takes, { one: 'prise', other: 'prises' })}`,
    samples: 'Exemples de chansons',
    listen: 'Les mêmes mots, le même air, deux prises. Écoutez.',
    takes: (count) => plural(count, { one: `démo · ${count} prise`, other: `démo · ${count} prises` }),
    play: (take, artist) => `Écouter l’exemple ${take} de ${artist}`,
    side: (take) => `Face ${take}`,
    how: 'Comment ça marche',
    steps: [
      {
        title: 'Apportez les mots',
        text: 'Collez vos paroles, complètes ou non, et décrivez le genre, la vitesse, la voix et les instruments.',
      },
      {
        title: 'Nous cuisinons',
        text: 'Deux prises de votre chanson sont chantées, jouées et mixées. Nous vous écrivons quand elles sont prêtes.',
      },
      {
        title: 'Comparez et gardez',
        text: 'Passez de la Version 1 à la Version 2 à la même mesure. Téléchargez les deux. Puis réservez le studio, ou pas.',
      },
    ],
    priceTitle: 'Le prix',
    priceUnit: 'crédits la chanson',
    priceText: (smallest, songs) =>
      `Les deux prises comprises. Un crédit vaut un dollar américain ; la plus petite recharge est de ${format.price(smallest, 'USD')}, de quoi faire ${plural(songs, { one: `${songs} chanson`, other: `${songs} chansons` })}. Sans abonnement.`,
    ownTitle: 'La chanson est à vous',
    ownText:
      'Les chansons produites vous appartiennent et peuvent être exploitées : publiées, jouées, proposées, vendues.',
    questions: 'Questions',
    answers: [
      {
        question: 'Combien de temps cela prend-il ?',
        answer:
          'Le formulaire dit quand une chanson payée maintenant sera prête : une fois la vôtre payée, son heure ne bouge plus. Si nous sommes en retard, vous pouvez reprendre tous vos crédits.',
      },
      {
        question: 'Mes paroles ne sont pas finies. Puis-je les envoyer ?',
        answer:
          'Oui. Envoyez ce que vous avez ; un couplet et un refrain suffisent pour entendre si la chanson est là.',
      },
      {
        question: 'Qu’est-ce que je reçois ?',
        answer:
          'Deux versions finies de la même chanson en fichiers audio, à écouter dans votre album et à télécharger.',
      },
      {
        question: 'Et si je n’ai pas assez de crédits ?',
        answer:
          'Votre demande est gardée et attend. Elle part d’elle-même dès que des crédits arrivent ; rien n’est à renvoyer.',
      },
      {
        question: 'Comment payer ?',
        answer:
          'Par carte de partout. Au Nigeria aussi par virement en nairas ; les crédits sont ajoutés dans l’heure.',
      },
      {
        question: 'Qui d’autre voit mes paroles ?',
        answer: 'Vous seul et les personnes qui font votre chanson. Nous ne publions rien.',
      },
    ],
    otherQuestion: 'Autre chose ? Écrivez à',
    start: 'Commencer ma première démo',
  },
  footer: {
    language: 'Langue',
    terms: 'Conditions',
    privacy: 'Confidentialité',
    imprint: 'Mentions légales',
  },
  notFound: {
    title: 'Page introuvable',
    text: 'Il n’y a rien à cette adresse. La chanson doit être ailleurs.',
  },
  unreachable: {
    offline: 'Vous êtes hors ligne',
    noAnswer: 'Le serveur ne répond pas',
    text: 'Vos chansons sont en sécurité, et ce que vous avez écrit dans cet onglet est gardé. Cette page reprend dès que la connexion revient.',
    retrying: 'nouvel essai…',
  },
  errorPage: {
    title: 'La bande s’est coincée',
    text: 'Cette partie de la page n’a pas pu être affichée. Vos chansons et ce que vous avez écrit sont gardés.',
    reload: 'Recharger la page',
  },
  /** Of a song that is charged now. */
  promise: {
    readyBy: (when) => `Prête d’ici ${when}`,
    ifPaidNow: (when) => `Prête d’ici ${when}, si vous payez maintenant`,
  },
  share: {
    by: (artist) => `par ${artist}`,
    download: (version) => `Télécharger ${version}`,
    madeWith: (brand) => `Fait avec ${brand} : vos paroles, deux prises.`,
  },
  made: {
    title: 'Comment elle a été faite',
    notStated: 'Non précisé',
    people: 'Faite par des humains',
    assisted: 'Faite avec l’aide de l’IA',
    ai: 'Faite par l’IA',
  },
  licence: {
    title: 'Licence',
    valid: 'Valable',
    notValid: 'Non valable',
    refunded: 'Les crédits de cette chanson ont été rendus.',
    replaced: 'Des prises plus récentes ont remplacé ces fichiers.',
    newer: 'La licence plus récente',
    hash: (sha256) => `SHA-256 ${sha256}`,
    issued: (when) => `Délivrée le ${when}`,
    allowed:
      'Cette chanson appartient à la personne qui l’a commandée et peut être exploitée commercialement : publiée, jouée, proposée, vendue.',
    noRegistration: 'Ceci est une autorisation, et non un dépôt de droit d’auteur.',
    noName: 'Le nom sur une licence imprimée ne fait pas partie de cette vérification.',
    check: 'Vérifier un fichier',
    stays: 'Choisissez un fichier ou déposez-le ici. Il reste sur cet appareil.',
    same: 'C’est bien ce fichier.',
    other: 'Ce n’est pas ce fichier.',
    unreadable: 'Ce fichier n’a pas pu être lu.',
  },
  player: {
    playVersion: (version) => `Écouter ${version}`,
    takeOf: (version, n) => `${version}, prise ${n}`,
    title: 'Lecteur',
    play: 'Lecture',
    pause: 'Pause',
    nowPlaying: (version) => `${version} : en lecture`,
    lyrics: 'Paroles',
    pressPlay: 'Appuyez sur lecture pour écouter.',
    failed: {
      now: 'Cette version ne peut pas être lue pour le moment.',
      here: 'Ce navigateur ne lit pas ce type de fichier. Un autre, ou un autre logiciel, le peut peut-être.',
    },
    noWaveform: 'Il n’y a pas de forme d’onde pour cette version. Elle s’écoute quand même.',
    position: 'Position',
    positionOf: (at, whole) => `${at} sur ${whole}`,
    version: 'Version',
    download: 'Ouvrir',
    save: 'Enregistrer',
  },
}
