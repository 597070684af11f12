import type * as en from '../en/photos.ts';
import { formatNumber, plural } from '../plural.ts';

export const deskPhotos: typeof en.deskPhotos = {
  title: 'Fotos',
  add: 'Añadir fotos',
  addHelp: 'JPEG, PNG, WebP o AVIF. Aquí se reducen y se quita el lugar donde se tomaron.',
  item: (index, count) => `Foto ${index} de ${count}`,
  alt: 'Texto alternativo',
  altHelp: 'Describa la foto para quien no puede verla. Los lectores la ven cuando tiene texto alternativo.',
  caption: 'Pie de foto',
  credit: 'Crédito',
  more: 'Pie de foto y crédito',
  count: (length, most) => `${length} de ${most}`,
  earlier: 'Subir',
  later: 'Bajar',
  takeAway: 'Quitar la foto',
  about: (action, index) => `${action}: foto ${index}`,
  added: (count) =>
    `${count === 1 ? 'Una' : count} ${plural(count, 'foto añadida', 'fotos añadidas', 'es')}.`,
  fileRemoved: 'Quitada.',
  noPreview: 'Este navegador no puede mostrarla.',

  steps: {
    shrinking: 'Reduciéndola',
    waiting: 'Espera su turno',
    checking: 'Enviada. Se está comprobando',
    ready: 'Ha llegado',
    elsewhere: 'La está enviando otra página u otro dispositivo',
    missing: 'Ya no está en este dispositivo. Elíjala de nuevo.',
  },
  sending: (percent) => `${percent} % enviado`,
  progress: 'Enviado hasta ahora',
  holdUps: {
    line: 'No hay conexión. Las fotos siguen por sí solas, con la mesa abierta aquí o cuando se vuelva a abrir.',
    session: 'Las fotos esperan a que vuelva a entrar.',
  },
  notKept:
    'Este navegador no guarda fotos: están solo en esta página. Déjela abierta hasta que hayan llegado.',

  waiting: {
    before: (count) =>
      count === 1
        ? '1 foto espera: añada el texto alternativo. Publicar envía ya el texto.'
        : `${count} fotos esperan: añada el texto alternativo. Publicar envía ya el texto.`,
    count: (count) =>
      count === 1
        ? '1 foto espera: añada el texto alternativo'
        : `${count} fotos esperan: añada el texto alternativo`,
    arriving: (count) => (count === 1 ? 'Se está añadiendo 1 foto' : `Se están añadiendo ${count} fotos`),
    of: 'Falta en',
    add: 'Añadir a la actualización',
    discard: 'Desechar la foto',
    follows: 'La foto se añade cuando se haya subido y usted tenga conexión.',
    withdrawn:
      'La actualización ya no está publicada y la foto no se ha añadido. Deséchela o añádala más tarde.',
    added: (count, number) =>
      `${count === 1 ? 'Foto añadida' : `${count} fotos añadidas`}${number === null ? '' : ` al número ${number}`}.`,
  },

  tray: {
    title: 'Fotos que se están subiendo',
    about: (what, how) => `${what}: ${how}`,
    forNumber: (number) => `Para el número ${number}`,
    forDraft: 'Para un borrador',
    forJustSent: 'Para la actualización recién enviada',
    forNone: 'Para una actualización que no está en la lista',
    takeOut: 'Sacarla',
    removedFromUpdate: 'Sacada de la actualización.',
    putAside: 'Apartar',
    unseen: 'Los lectores no la ven. La actualización queda sin ella.',
    allArrived: 'Todas las fotos han llegado.',
  },

  row: {
    uploading: (count) => (count === 1 ? 'Una foto está en camino.' : `${count} fotos están en camino.`),
    refused: (count) =>
      count === 1
        ? 'Una foto se rechazó: los lectores no la ven.'
        : `${count} fotos se rechazaron: los lectores no las ven.`,
  },

  tooLong: (index, field, length, most) =>
    `Foto ${index}, ${field.toLowerCase()}: ${length} caracteres son demasiados. Como mucho ${most}.`,
  noAlt: (index, count) =>
    `Escriba el texto alternativo de ${count === 1 ? 'la foto' : `la foto ${index}`}, o un texto para la actualización.`,

  refusals: {
    too_large: 'Es demasiado grande: más de 20 MB o más de 50 megapíxeles. Elija otra más pequeña.',
    unsupported_media: 'No es una imagen JPEG, PNG, WebP o AVIF, o está dañada. Elija otra.',
    invalid: 'No es una imagen JPEG, PNG, WebP o AVIF, o está dañada. Elija otra.',
    forbidden: 'Ya no puede enviar fotos a esta cobertura. Pregunte a un editor.',
    gone: 'Ha tardado demasiado en llegar. Elíjala de nuevo.',
    removed: 'La redacción la ha eliminado. Quítela o elija otra.',
    internal: 'Algo ha fallado por nuestra parte. Elíjala de nuevo.',
  },
};

const updates = (n: number) =>
  `${formatNumber(n, 'es')} ${plural(n, 'actualización', 'actualizaciones', 'es')}`;
const changed = (n: number, published: number) =>
  published === 0
    ? `${updates(n)}, ninguna publicada`
    : `${updates(n)}, ${formatNumber(published, 'es')} ${plural(published, 'publicada', 'publicadas', 'es')}`;

/** Messages of the library and of choosing a photo. */
const common = {
  find: 'Buscar',
  noAlt: 'Nadie ha dicho qué muestra',
};

export const photoLibrary: typeof en.photoLibrary = {
  ...common,
  title: 'Fotos',
  notYours: 'Su cuenta no tiene mesa, y por tanto tampoco fotos.',
  search: 'Palabras de la foto, de su cobertura o de quien la envió',
  filters: 'Qué fotos',
  filter: {
    all: 'Todas',
    mine: 'Mías',
    unused: 'En ninguna actualización',
    uploading: 'En camino',
    refused: 'Rechazadas',
    removed: 'Eliminadas',
  },
  within: (headline) => `De la cobertura ${headline}`,
  everywhere: 'De todas las coberturas',
  none: 'No hay fotos así.',
  noneYet: 'Aún no hay fotos. Las que añada a una actualización aparecerán aquí.',
  newest: 'Más recientes',
  older: 'Anteriores',
  states: {
    uploading: 'En camino',
    ready: 'Ha llegado',
    refused: 'Rechazada',
    removed: 'Eliminada',
  },
  uses: (n, published) =>
    n === 0
      ? 'En ninguna actualización'
      : published === n
        ? `En ${updates(n)}`
        : `En ${changed(n, published)}`,
  withdrawn: (n) => `En ${updates(n)} que se ${plural(n, 'retiró', 'retiraron', 'es')}`,

  one: {
    back: 'Todas las fotos',
    title: 'Foto',
    by: (name) => `La envió ${name}`,
    pixels: (width, height) => `${formatNumber(width, 'es')} × ${formatNumber(height, 'es')} píxeles`,
    bytes: (bytes) => `${formatNumber(Math.max(1, Math.round(bytes / 1000)), 'es')} KB`,
    removedBy: (name) => `La eliminó ${name}`,
    removed:
      'Se ha eliminado: los lectores ya no pueden verla, y la mesa tampoco. Queda constancia de dónde estaba.',
    uploading: 'Está en camino. Hasta que llegue, los lectores no la ven.',
    words: 'Lo que se dice de ella',
    saveWords: 'Guardar el texto',
    saved: 'El texto está guardado. Los lectores lo verán la próxima vez que miren.',
    notYours: 'Está en actualizaciones que no son suyas. Pida a un editor que la cambie.',
    where: 'Dónde se usa',
    nowhere: 'Ninguna actualización la muestra.',
    update: (number) => `Número ${formatNumber(number, 'es')}`,
    atDesk: 'En la mesa',
    noWords: 'Sin más palabras que la foto',
    wordsKept: 'Sus palabras están en su historial, en la mesa',
    of: (name) => `de ${name}`,
    earlier: (versions, count) =>
      `${plural(count, 'La versión', 'Las versiones', 'es')} ${versions} la ${plural(count, 'mostraba', 'mostraban', 'es')}. Ya no está ahí.`,
    forReaders: 'Como la ven los lectores',
    open: 'En la mesa de la cobertura',
  },

  changes: (n, published) =>
    n === 0 ? 'Ahora no la muestra ninguna actualización.' : `Cambia ${changed(n, published)}.`,
  note: 'Nota para los lectores',
  tell: 'A los lectores de lo publicado',
  correction: 'se les dice, como corrección, con esta nota',
  revision: 'no se les dice: era un duplicado, o solo una imagen mejor de lo mismo',

  replace: {
    title: 'Sustituirla',
    help: 'Otra imagen ocupa su lugar en cada una de estas actualizaciones. Las versiones anteriores conservan esta, en la mesa.',
    file: 'La otra imagen',
    fileHelp: 'JPEG, PNG, WebP o AVIF, hasta 20 MB. Se quita dónde se tomó.',
    arrived: 'La otra imagen ya ha llegado. Elija un archivo solo si quiere enviar otro.',
    open: 'Elegir otra imagen',
    press: 'Sustituir',
    done: (n, published) =>
      n === 0
        ? 'Ha llegado. Ninguna actualización mostraba ya la otra.'
        : `Ya está en su lugar, en ${changed(n, published)}.`,
  },
  remove: {
    title: 'Eliminarla',
    help: 'Ya nadie podrá verla, ni sus copias más pequeñas: los lectores desde este momento, y la mesa tampoco. Las versiones conservan una marca de que ahí hubo una foto. No se puede deshacer.',
    open: 'Eliminar esta foto',
    press: 'Eliminar para siempre',
    done: (n, published) =>
      n === 0
        ? 'Se ha eliminado. Ninguna actualización la mostraba.'
        : `Se ha eliminado, de ${changed(n, published)}.`,
  },

  problems: {
    file: 'Elija la imagen que ocupa su lugar.',
    alt: 'Diga qué muestra, para quienes no la ven.',
    note: 'Diga a los lectores qué estaba mal, o elija no decírselo.',
    still: 'La otra imagen se ha enviado y aún se está revisando. Vuelva a pulsar dentro de un momento.',
    tell: 'Elija si se les dice a los lectores.',
  },
};

/** Messages of choosing a photo for an update. */
export const photoPicker: typeof en.photoPicker = {
  ...common,
  open: 'Fotos de esta cobertura',
  title: 'Fotos de esta cobertura',
  search: 'Palabras de la foto',
  choose: 'Poner',
  chosen: 'Puesta en la actualización.',
  none: 'No hay fotos que pueda poner.',
  more: 'Más',
  loading: 'Buscando fotos.',
  photoCount: (n) => `${formatNumber(n, 'es')} ${plural(n, 'foto', 'fotos', 'es')}`,
};
