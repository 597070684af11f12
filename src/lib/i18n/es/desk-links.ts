import type * as en from '../en/desk-links.ts';

export const deskLinks: typeof en.deskLinks = {
  title: 'Enlace',
  address: 'Dirección de una página',
  addressHelp: 'Queda en el texto en una línea propia, con lo que la página dice de sí misma.',
  add: 'Añadir el enlace',
  addPlain: 'Añadirlo sin descripción',
  looking: 'Mirando la página…',
  added: 'Añadido al texto, así:',
  addedPlain: 'Añadido al texto sin descripción.',
  takeOut: 'Volver a quitarlo',
  removed: 'Quitado del texto.',
  notAnAddress: 'Esto no es la dirección de una página web.',
  offline: 'No se ha podido mirar la página: no hay conexión o no responde.',
};
