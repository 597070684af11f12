import type * as en from '../en/desk-list.ts';

const number = new Intl.NumberFormat('es');

export const deskList: typeof en.deskList = {
  filters: {
    work: 'Todo',
    submitted: 'Entregadas',
    draft: 'Borradores',
    scheduled: 'Programadas',
    published: 'Publicadas',
    withdrawn: 'Retiradas',
    spiked: 'Descartadas',
    mine: 'Mías',
    key: 'Momentos clave',
    corrected: 'Corregidas',
    photos: 'Con fotos',
  },
  filter: 'Mostrar',
  count: (count, isWhole) => `${number.format(count)}${isWhole ? '' : '+'}`,

  search: 'Buscar',
  searchHelp: 'Busca en textos, nombres, notas y lugares de todas las actualizaciones.',
  resultCount: (count, isWhole) => {
    if (count === 0) return 'Sin resultados.';
    if (!isWhole) return `${number.format(count)} o más resultados.`;
    return count === 1 ? '1 resultado.' : `${number.format(count)} resultados.`;
  },
  clearSearch: 'Volver a mostrar todo',
  filed: {
    by: (channel) => `Por ${channel}`,
    original: 'Mensaje original',
    gone: 'El mensaje ya no se conserva.',
    changes: 'Cambios desde entonces',
  },
  attribution: 'Fuente',
  dateline: 'Lugar',

  waiting: (count) =>
    count === 1 ? 'Mostrar 1 actualización nueva' : `Mostrar ${number.format(count)} actualizaciones nuevas`,
  somebodyEdits: (names, count) =>
    `${names} también ${count === 1 ? 'edita' : 'editan'} esta actualización. Si guardan antes que usted, podrá comparar aquí las dos versiones.`,
  newerSaved: 'Otra persona ha guardado una versión más reciente mientras usted escribía.',
  newerSavedBy: (name) => `${name} ha guardado una versión más reciente mientras usted escribía.`,
  newerSavedByYou: 'Usted ha guardado una versión más reciente en otra página.',
  compare: 'Comparar',

  keys: {
    next: 'Actualización siguiente de la lista',
    previous: 'Actualización anterior de la lista',
    edit: 'Editar la actualización',
    publish: 'Publicar la actualización',
    submit: 'Entregar la actualización',
    spike: 'Descartar la actualización',
    pin: 'Fijar la actualización o dejar de fijarla',
    withdraw: 'Retirar la actualización',
    find: 'Buscar en la lista',
    news: 'Mostrar las novedades de la lista',
  },

  tips: {
    title: 'Avisos',
    open: (count) =>
      count === 0 ? 'ninguno abierto' : `${number.format(count)} ${count === 1 ? 'abierto' : 'abiertos'}`,
    all: 'Abrir la cola de avisos',
  },

  waits: {
    label: 'Pendiente',
    submitted: (count) => (count === 1 ? '1 entrega' : `${number.format(count)} entregas`),
    tips: (count) => (count === 1 ? '1 aviso nuevo' : `${number.format(count)} avisos nuevos`),
    in: (what, where) => `${what} en ${where}`,
    begun: 'Hay trabajo pendiente en la mesa.',
  },
};
