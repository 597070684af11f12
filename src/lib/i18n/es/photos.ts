import type * as en from '../en/photos.ts';
import { formatNumber, plural } from '../plural.ts';

export const deskPhotos: typeof en.deskPhotos = {
  title: 'Fotos',
  add: 'Añadir fotos',
  addHelp: 'JPEG, PNG, WebP o AVIF. Se reducen en este dispositivo y se elimina su ubicación.',
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
    count === 1
      ? 'Una foto añadida. Escriba su texto alternativo.'
      : `${count} fotos añadidas. Escriba el texto alternativo de cada una.`,
  fileRemoved: 'Quitada.',
  noPreview: 'Este navegador no puede mostrar una vista previa.',

  steps: {
    shrinking: 'Reduciéndola',
    waiting: 'Pendiente de envío',
    checking: 'Enviada. Se está comprobando',
    ready: 'Subida',
    elsewhere: 'La está enviando otra página u otro dispositivo',
    missing: 'Ya no está en este dispositivo. Elíjala de nuevo.',
  },
  sending: (percent) => `${percent}\u00a0% enviado`,
  progress: 'Enviado hasta ahora',
  holdUps: {
    line: 'No tiene conexión. Las fotos se envían cuando tenga conexión y la mesa esté abierta.',
    session: 'Las fotos se envían cuando inicie sesión de nuevo.',
  },
  notKept: 'Este navegador no puede guardar fotos. Deje abierta esta página hasta que se suban.',

  waiting: {
    before: (count) =>
      count === 1
        ? '1 foto espera: añada el texto alternativo. El texto se envía ya; la foto, después.'
        : `${count} fotos esperan: añada el texto alternativo. El texto se envía ya; las fotos, después.`,
    count: (count) =>
      count === 1
        ? '1 foto espera: añada el texto alternativo'
        : `${count} fotos esperan: añada el texto alternativo`,
    arriving: (count) => (count === 1 ? 'Se está añadiendo 1 foto' : `Se están añadiendo ${count} fotos`),
    of: 'Falta en',
    add: 'Añadir a la actualización',
    discard: 'Borrar la foto',
    follows: 'La foto se añade cuando se haya subido y usted tenga conexión.',
    withdrawn:
      'La actualización ya no está publicada y la foto no se ha añadido. Bórrela o añádala más tarde.',
    added: (count, number) =>
      `${count === 1 ? 'Foto añadida' : `${count} fotos añadidas`}${number === null ? '' : ` a la actualización ${number}`}.`,
  },

  tray: {
    title: 'Fotos que se están subiendo',
    about: (what, how) => `${what}: ${how}`,
    forNumber: (number) => `Para la actualización ${number}`,
    forDraft: 'Para un borrador',
    forJustSent: 'Para la actualización recién enviada',
    forNone: 'Para una actualización que no está en la lista',
    takeOut: 'Quitar',
    removedFromUpdate: 'Quitada de la actualización.',
    putAside: 'Cerrar',
    unseen: 'Los lectores no la ven. La actualización se publica sin ella.',
    allArrived: 'Todas las fotos se han subido.',
  },

  row: {
    uploading: (count) => (count === 1 ? 'Se está subiendo una foto.' : `Se están subiendo ${count} fotos.`),
    refused: (count) =>
      count === 1
        ? 'Una foto se rechazó: los lectores no la ven.'
        : `${count} fotos se rechazaron: los lectores no las ven.`,
  },

  tooLong: (index, field, length, most) =>
    `Foto ${index}, ${field.toLowerCase()}: ${length} caracteres. Acórtelo a ${most}.`,
  noAlt: (index, count) =>
    `Escriba el texto alternativo de ${count === 1 ? 'la foto' : `la foto ${index}`}, o un texto para la actualización.`,

  refusals: {
    too_large: 'Es demasiado grande: más de 20 MB o más de 50 megapíxeles. Elija otra más pequeña.',
    unsupported_media: 'No es un archivo JPEG, PNG, WebP o AVIF, o está dañado. Elija otra foto.',
    invalid: 'No es un archivo JPEG, PNG, WebP o AVIF, o está dañado. Elija otra foto.',
    forbidden: 'Ya no puede enviar fotos a esta cobertura. Pregunte a un editor.',
    gone: 'La subida ha tardado demasiado. Elíjala de nuevo.',
    removed: 'La redacción la ha eliminado. Quítela o elija otra.',
    internal: 'Algo ha fallado por nuestra parte. Elíjala de nuevo.',
  },
};

const updates = (n: number) =>
  `${formatNumber(n, 'es')} ${plural(n, 'actualización', 'actualizaciones', 'es')}`;
const changed = (n: number, published: number) => {
  if (published === n) return `${updates(n)} ${plural(n, 'publicada', 'publicadas', 'es')}`;
  if (published === 0) return `${updates(n)}, ninguna publicada`;
  return `${updates(n)}, ${formatNumber(published, 'es')} ${plural(published, 'publicada', 'publicadas', 'es')}`;
};

/** Messages of the library and of choosing a photo. */
const common = {
  find: 'Buscar',
  noAlt: 'Sin texto alternativo',
};

export const photoLibrary: typeof en.photoLibrary = {
  ...common,
  title: 'Fotos',
  notYours: 'Su cuenta no tiene acceso a la mesa ni a sus fotos.',
  search: 'Buscar en pies de foto, coberturas y personas',
  filters: 'Mostrar',
  filter: {
    all: 'Todas',
    mine: 'Mías',
    unused: 'Sin usar',
    uploading: 'Subiendo',
    refused: 'Rechazadas',
    removed: 'Eliminadas',
  },
  within: (headline) => `De la cobertura ${headline}`,
  everywhere: 'De todas las coberturas',
  none: 'No se ha encontrado ninguna foto.',
  noneYet: 'Aún no hay fotos. Añada una a una actualización y aparecerá aquí.',
  newest: 'Más recientes',
  older: 'Anteriores',
  states: {
    uploading: 'Subiendo',
    ready: 'Subida',
    refused: 'Rechazada',
    removed: 'Eliminada',
  },
  uses: (n, published) =>
    n === 0 ? 'Sin usar' : published === n ? `En ${updates(n)}` : `En ${changed(n, published)}`,
  withdrawn: (n) => `En ${updates(n)} que se ${plural(n, 'retiró', 'retiraron', 'es')}`,

  one: {
    back: 'Todas las fotos',
    title: 'Foto',
    by: (name) => `La envió ${name}`,
    pixels: (width, height) => `${formatNumber(width, 'es')} × ${formatNumber(height, 'es')} píxeles`,
    bytes: (bytes) => `${formatNumber(Math.max(1, Math.round(bytes / 1000)), 'es')} KB`,
    removedBy: (name) => `La eliminó ${name}`,
    removed: 'Esta foto se ha eliminado para los lectores y para la mesa.',
    uploading: 'Se está subiendo. Los lectores aún no la ven.',
    words: 'Texto alternativo, pie y crédito',
    saveWords: 'Guardar los textos',
    saved: 'Los textos se han guardado.',
    notYours: 'La muestran actualizaciones de otras personas. Pida a un editor que la cambie.',
    where: 'Dónde se usa',
    nowhere: 'Ninguna actualización la muestra.',
    update: (number) => `Actualización ${formatNumber(number, 'es')}`,
    atDesk: 'En la mesa',
    noWords: 'Sin texto, solo la foto',
    wordsKept: 'Su texto está en el historial, en la mesa',
    of: (name) => `de ${name}`,
    earlier: (versions, count) =>
      `${plural(count, 'La versión', 'Las versiones', 'es')} ${versions} la ${plural(count, 'mostraba', 'mostraban', 'es')}.`,
    forReaders: 'Ver la actualización',
    open: 'Abrir la mesa de la cobertura',
  },

  changes: (n, published) =>
    n === 0 ? 'Ahora no la muestra ninguna actualización.' : `Cambia ${changed(n, published)}.`,
  note: 'Nota para los lectores',
  tell: '¿Informar a los lectores?',
  correction: 'Sí, como corrección con esta nota',
  revision: 'No: era un duplicado o esta es una foto mejor de la misma escena',

  replace: {
    title: 'Sustituir la foto',
    help: 'La foto nueva la sustituye en todas estas actualizaciones. En la mesa, las versiones anteriores conservan la antigua.',
    file: 'Foto nueva',
    fileHelp: 'JPEG, PNG, WebP o AVIF, hasta 20 MB. Se elimina su ubicación.',
    arrived: 'La foto nueva ya se ha subido. Elija un archivo solo para cambiarla.',
    open: 'Elegir una foto nueva',
    press: 'Sustituir',
    done: (n, published) =>
      n === 0
        ? 'La foto nueva se ha subido. Ninguna actualización mostraba la antigua.'
        : `Sustituida en ${changed(n, published)}.`,
  },
  remove: {
    title: 'Eliminar la foto',
    help: 'La foto y sus copias más pequeñas se borran enseguida, para los lectores y para la mesa. Las versiones muestran que había una foto. No se puede deshacer.',
    open: 'Eliminar esta foto',
    press: 'Eliminar para siempre',
    done: (n, published) =>
      n === 0
        ? 'Se ha eliminado. Ninguna actualización la mostraba.'
        : `Se ha eliminado de ${changed(n, published)}.`,
  },

  problems: {
    file: 'Elija la foto nueva.',
    alt: 'Escriba un texto alternativo para quien no puede verla.',
    note: 'Diga a los lectores qué estaba mal, o elija no decírselo.',
    still: 'La foto nueva aún se está comprobando. Vuelva a pulsar en un momento.',
    tell: 'Elija si los lectores ven una nota.',
  },
};

/** Messages of choosing a photo for an update. */
export const photoPicker: typeof en.photoPicker = {
  ...common,
  open: 'Fotos de esta cobertura',
  title: 'Fotos de esta cobertura',
  search: 'Buscar en pies de foto',
  choose: 'Añadir',
  chosen: (n, alt) => `Foto ${formatNumber(n, 'es')} añadida: ${alt}`,
  none: 'No hay fotos que añadir.',
  more: 'Más',
  loading: 'Cargando fotos.',
  photoCount: (n) => `${formatNumber(n, 'es')} ${plural(n, 'foto', 'fotos', 'es')}`,
};
