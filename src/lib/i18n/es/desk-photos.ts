import type * as en from '../en/desk-photos.ts';
import { plural } from '../plural.ts';

export const deskPhotos: typeof en.deskPhotos = {
  title: 'Fotos',
  add: 'Añadir fotos',
  addHelp: 'JPEG, PNG, WebP o AVIF. Aquí se reducen y se quita el lugar donde se tomaron.',
  item: (index, count) => `Foto ${index} de ${count}`,
  alt: 'Qué muestra',
  altHelp: 'Para quien no la ve. Los lectores solo reciben la foto con esto.',
  caption: 'Pie de foto',
  credit: 'Crédito',
  more: 'Pie de foto y crédito',
  count: (length, most) => `${length} de ${most}`,
  earlier: 'Subir',
  later: 'Bajar',
  takeAway: 'Quitar',
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

  tray: {
    title: 'Fotos en camino',
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
    `Diga qué muestra ${count === 1 ? 'la foto' : `la foto ${index}`}, para quien no la ve.`,

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
