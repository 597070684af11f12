import type { Omitted } from '../../domain/body/fold.ts';
import type * as en from '../en/reader.ts';
import { formatMeasures } from '../measures.ts';
import { formatList, formatListParts, formatNumber, plural } from '../plural.ts';

const updates = (n: number) =>
  `${formatNumber(n, 'es')} ${plural(n, 'actualización', 'actualizaciones', 'es')}`;

/** Spanish writes decimals after a comma. */
const degrees = (value: number) => `${Math.abs(value)}°`.replace('.', ',');

const OMITTED: Record<Omitted, string> = {
  table: 'una tabla',
  rows: 'la tabla entera',
  media: 'un vídeo o audio',
  map: 'un mapa',
  post: 'una publicación citada',
  photo: 'una foto',
};

const withOmitted = (omitted: Omitted[]): string =>
  omitted.length > 0
    ? `, con ${formatList(
        omitted.map((part) => OMITTED[part]),
        'es',
      )}`
    : '';

export const reader: typeof en.reader = {
  skip: 'Ir a las noticias',
  home: 'Portada',
  siteNavigation: 'Sitio',
  tip: 'Enviar aviso',
  alerts: 'Alertas',
  account: 'Cuenta',
  signedIn: 'Sesión iniciada',
  pageAsOf: 'Versión de las',
  timesIn: (zone) => `Horas en ${zone}`,
  about: 'Quiénes somos',
  signIn: 'Iniciar sesión',

  status: {
    updated: 'Actualizada',
    newest: 'Actualizada',
    starts: 'empieza el',
    noUpdates: 'aún sin actualizaciones',
    check: 'Buscar novedades',
    follow: (kilobytes) => `Seguir en directo (${kilobytes} KB)`,
    starting: 'Cargando…',
    notFollowed: 'Las actualizaciones en directo se detuvieron. Recargar',
  },

  summary: 'Lo que sabemos',
  summaryEnded: 'Qué pasó',
  newest: 'Lo último',
  pinned: 'Fijado',
  pinnedPlace: (omitted = []) => `Ver en la lista${withOmitted(omitted)}`,
  keyEvents: 'Momentos clave',
  allKeyEvents: 'Todos los momentos clave',

  updateCount: updates,
  views: 'Orden de las actualizaciones',
  newestFirst: 'Más recientes',
  oldestFirst: 'Más antiguas',
  keyEventsOnly: 'Momentos clave',
  pages: 'Actualizaciones anteriores y posteriores',
  older: 'Anteriores',
  newer: 'Posteriores',
  noUpdates: 'Aún no hay actualizaciones. La primera aparecerá aquí.',
  noKeyEvents: 'Aún no hay momentos clave.',
  coverageTopics: 'Más sobre',
  range: (first, last) => `De la ${first} a la ${last}`,
  keyEventsOf: (headline) => `Momentos clave: ${headline}`,
  pageOf: (headline, first, last) => `${headline}, actualizaciones ${first} a ${last}`,

  update: (number) => `Actualización ${number}`,
  updateOf: (number, headline) => `Actualización ${number} de ${headline}`,
  permalink: (number, time) => `Actualización ${number}, ${time}`,
  keyEvent: 'Momento clave',
  urgency: { normal: '', important: 'Importante', urgent: 'Urgente' },
  verification: { confirmed: '', developing: 'En desarrollo', unverified: 'Sin verificar' },
  by: 'Por',
  people: (names) => formatListParts(names, 'es'),
  source: (name) => `Fuente: ${name}`,
  asOf: 'Hora de los datos:',
  stale: { before: 'Hora de los datos:', after: '; sin actualizar desde entonces' },
  happened: (time) => `Ocurrió: ${time}`,
  revised: (time) => `Revisada ${time}`,
  note: { correction: 'Corrección', clarification: 'Aclaración' },
  share: 'Compartir',
  shareUpdate: (number) => `Compartir la actualización ${number}`,
  linkCopied: 'Enlace copiado',
  readOn: 'Leer más',
  readOnOf: (number, omitted = []) => `Leer completa la actualización ${number}${withOmitted(omitted)}`,
  summaryMore: 'Leer el resumen completo',
  player: {
    play: (host) => `Reproducir desde ${host} (carga sus scripts)`,
    open: (site) => `Abrir en ${site}`,
    playFile: (file) =>
      `${file.kind === 'video' ? 'Ver el vídeo' : 'Escuchar el audio'}, ${formatMeasures(file, 'es')}`,
    file: (file) => `${file.format.toUpperCase()}, ${formatMeasures(file, 'es')}`,
  },
  showPhoto: (bytes) => `Ver la foto, ${formatNumber(Math.max(1, Math.round(bytes / 1000)), 'es')} KB`,
  photoBy: (credit) => `Foto: ${credit}`,
  coordinates: (latitude, longitude) =>
    `${degrees(latitude)} ${latitude < 0 ? 'sur' : 'norte'}, ${degrees(longitude)} ${longitude < 0 ? 'oeste' : 'este'}`,
  mapOf: (name) => `Mapa de ${name}`,
  showMap: 'Ver el mapa',
  mapApp: 'Abrir en una aplicación de mapas',
  post: {
    link: (network) => `Publicación en ${network}`,
    quoted: 'citada:',
    gone: 'Ya no está allí; comprobado:',
  },
  withdrawn: 'Retirada',
  partOf: 'Cobertura',
  inPlace: 'Ver en la cobertura',
  previousUpdate: 'Anterior',
  nextUpdate: 'Siguiente',
  publishedAt: (time) => `Publicada: ${time}`,
  revisedAt: (time) => `Última revisión: ${time}`,
  withdrawnAt: (time) => `Retirada: ${time}`,

  waiting: 'Las actualizaciones aparecerán aquí automáticamente.',

  front: {
    alsoLive: 'También en directo',
    coming: 'Próximamente',
    recent: 'Coberturas recientes',
    empty: 'Aún no se ha publicado nada.',
    emptyTip: '¿Sabe algo? Envíe un aviso a la redacción.',
    starts: (time) => `Empieza el ${time}`,
    title: (name, tagline) => (tagline ? `${name}: ${tagline}` : name),
    description: (name) =>
      `Coberturas en directo de ${name}, actualización a actualización, y su registro después.`,
  },
  person: {
    label: 'Firma',
    updates: (name) => `Últimas actualizaciones de ${name}`,
    none: 'No hay actualizaciones publicadas.',
    description: (name, site) => `Actualizaciones de ${name} para ${site}.`,
  },
  topic: {
    label: 'Tema',
    none: 'Aún no hay coberturas de este tema.',
    description: (topic, site) => `Coberturas en directo de ${topic} en ${site}.`,
  },
  aboutPage: {
    title: (name) => `Sobre ${name}`,
    what: (name) =>
      `${name} informa en directo. Cada cobertura es una página de actualizaciones con su hora y después queda aquí como archivo.`,
    standards: 'Cómo trabajamos',
    standardsList: [
      'Cada actualización lleva la hora en que se publicó. Su número y su dirección no cambian nunca.',
      'Señalamos todo lo que no hemos verificado.',
      'Una actualización corregida dice qué estaba mal y cuándo se corrigió. Una retirada conserva su lugar, con nuestro motivo.',
      'Todos los lectores reciben las mismas páginas, que se leen sin cookies y sin JavaScript.',
    ],
    contact: 'Contacto',
    publisher: 'Editor responsable',
  },

  errors: {
    not_found: {
      title: 'No encontramos esta página',
      say: 'Compruebe la dirección. Puede que la página haya cambiado de lugar o que no se haya publicado nunca.',
    },
    gone: {
      title: 'Esta cobertura se ha retirado',
      say: 'Publicamos esta cobertura y después la retiramos. Ya no está disponible.',
    },
    goneUpdate: {
      title: (number) => `Actualización ${number} retirada`,
      say: 'Publicamos esta actualización y después la retiramos.',
      reason: 'Motivo',
    },
    unavailable: {
      title: 'Esta página no está disponible ahora mismo',
      say: 'La base de datos de la redacción no responde. No se ha perdido nada. Inténtelo de nuevo en un minuto.',
    },
    internal: {
      title: 'Algo ha fallado por nuestra parte',
      say: 'Inténtelo de nuevo en un minuto o vaya a la portada.',
    },
    quote: (id) => `Si nos escribe sobre esto, indique ${id}.`,
    again: 'Volver a intentarlo',
  },
};
