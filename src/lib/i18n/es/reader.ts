import type * as en from '../en/reader.ts';
import { formatListParts, formatNumber, plural } from '../plural.ts';

const updates = (n: number) =>
  `${formatNumber(n, 'es')} ${plural(n, 'actualización', 'actualizaciones', 'es')}`;

export const reader: typeof en.reader = {
  skip: 'Ir a las noticias',
  home: 'Portada',
  siteNavigation: 'Sitio',
  tip: 'Avisar',
  alerts: 'Alertas',
  account: 'Cuenta',
  pageAsOf: 'Página de las',
  timesIn: (zone) => `Horas en ${zone}`,
  about: 'Quiénes somos',
  signIn: 'Iniciar sesión',

  status: {
    updated: 'Actualizado',
    newest: 'lo último',
    starts: 'empieza',
    noUpdates: 'aún sin actualizaciones',
    check: 'Buscar novedades',
    follow: (kilobytes) => `Seguir en directo (${kilobytes} KB)`,
    starting: 'Cargando…',
    notFollowed: 'Las actualizaciones en directo se detuvieron. Recargar',
  },

  summary: 'Lo que sabemos',
  summaryEnded: 'Qué ha pasado',
  newest: 'Lo último',
  pinned: 'Fijada',
  pinnedPlace: 'Ver en la cronología',
  keyEvents: 'Momentos clave',
  allKeyEvents: 'Todos los momentos clave',

  updateCount: updates,
  views: 'Maneras de leer esto',
  newestFirst: 'Lo más reciente primero',
  oldestFirst: 'Desde el principio',
  keyEventsOnly: 'Solo momentos clave',
  pages: 'Actualizaciones anteriores y posteriores',
  older: 'Anteriores',
  newer: 'Posteriores',
  noUpdates: 'Aún no hay actualizaciones. La primera aparecerá aquí.',
  noKeyEvents: 'Aún no hay momentos clave.',
  coverageTopics: 'Más sobre',
  range: (first, last) => `Actualizaciones ${first} a ${last}`,
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
  happened: (time) => `Ocurrió: ${time}`,
  revised: (time) => `Revisada ${time}`,
  note: { correction: 'Corrección', clarification: 'Aclaración' },
  share: 'Compartir',
  shareUpdate: (number) => `Compartir la actualización ${number}`,
  linkCopied: 'Enlace copiado',
  readOn: 'Seguir leyendo',
  readOnOf: (number) => `Seguir leyendo: actualización ${number}`,
  summaryMore: 'Leerlo entero',
  showPhoto: (bytes) => `Ver la foto, ${formatNumber(Math.max(1, Math.round(bytes / 1000)), 'es')} KB`,
  photoBy: (credit) => `Foto: ${credit}`,
  withdrawn: 'Retirada',
  partOf: 'De',
  inPlace: 'Ver su lugar entre las demás actualizaciones',
  previousUpdate: 'Anterior',
  nextUpdate: 'Siguiente',
  publishedAt: (time) => `Publicada: ${time}`,
  revisedAt: (time) => `Última revisión: ${time}`,
  withdrawnAt: (time) => `Retirada: ${time}`,

  waiting: 'Las actualizaciones aparecerán aquí, la más reciente arriba.',

  front: {
    alsoLive: 'También en directo',
    coming: 'Próximamente',
    recent: 'Coberturas recientes',
    empty: 'Aún no se ha publicado nada.',
    starts: (time) => `Empieza: ${time}`,
    title: (name, tagline) => (tagline ? `${name}: ${tagline}` : name),
    description: (name) =>
      `Coberturas en directo de ${name}, actualización a actualización, y su registro después.`,
  },
  person: {
    label: 'Firma',
    updates: (name) => `Últimas actualizaciones de ${name}`,
    none: 'Por ahora no hay nada publicado.',
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
      `${name} sigue lo que ocurre mientras ocurre. Cada cobertura es una página de actualizaciones con su hora, que queda aquí como registro cuando termina.`,
    standards: 'Cómo trabajamos',
    standardsList: [
      'Cada actualización lleva la hora en que se publicó. Su número y su dirección no cambian nunca.',
      'Lo que no hemos podido verificar va señalado hasta que podamos.',
      'Cuando nos equivocamos, la actualización lo dice, con lo que se corrigió y cuándo. Cuando retiramos una, quedan su lugar y nuestro motivo.',
      'Las páginas son las mismas para todo el que las pide. Leer no deja cookies ni necesita JavaScript.',
    ],
    contact: 'Contacto',
    publisher: 'Editor responsable',
  },

  errors: {
    not_found: {
      title: 'Esa página no existe',
      say: 'Puede que la dirección esté mal escrita o que lo que nombra no se haya publicado nunca.',
    },
    gone: {
      title: 'Esta cobertura se ha retirado',
      say: 'La publicamos y la hemos retirado. Ya no se puede leer aquí.',
    },
    goneUpdate: {
      title: (number) => `La actualización ${number} se ha retirado`,
      say: 'La publicamos y la hemos retirado.',
      reason: 'Por qué',
    },
    unavailable: {
      title: 'Ahora mismo no podemos traer esta página',
      say: 'Los registros de la redacción no responden. No se ha perdido nada. Inténtelo dentro de un minuto: la misma dirección funcionará.',
    },
    internal: {
      title: 'Algo ha fallado por nuestra parte',
      say: 'No es culpa suya. Inténtelo dentro de un minuto o empiece por la portada.',
    },
    quote: (id) => `Si nos escribe sobre ello, cite ${id}.`,
    again: 'Volver a intentarlo',
  },
};
