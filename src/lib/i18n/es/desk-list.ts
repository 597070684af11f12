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
  searchHelp: 'En textos, nombres, notas y lugares, de todos los estados que usted ve.',
  resultCount: (count, isWhole) => {
    if (count === 0) return 'Nada contiene estas palabras.';
    if (!isWhole) return `${number.format(count)} o más resultados.`;
    return count === 1 ? '1 resultado.' : `${number.format(count)} resultados.`;
  },
  clearSearch: 'Volver a mostrar todo',
  attribution: 'Fuente',
  dateline: 'Lugar',

  waiting: (count) => (count === 1 ? '1 nueva: mostrarla' : `${number.format(count)} nuevas: mostrarlas`),
  somebodyEdits: (names, count) =>
    `${names} ${count === 1 ? 'tiene' : 'tienen'} también abierta esta actualización. A quien guarde después se le mostrarán las dos versiones.`,

  keys: {
    next: 'Actualización siguiente de la lista',
    previous: 'Actualización anterior de la lista',
    edit: 'Editar la actualización',
    publish: 'Publicarla',
    submit: 'Entregarla',
    spike: 'Descartarla',
    pin: 'Fijarla o dejar de fijarla',
    withdraw: 'Retirarla',
    find: 'Buscar en la lista',
    news: 'Mostrar las novedades de la lista',
  },

  tips: {
    title: 'Avisos',
    open: (count) =>
      count === 0 ? 'ninguno abierto' : `${number.format(count)} ${count === 1 ? 'abierto' : 'abiertos'}`,
    all: 'En la cola de avisos',
  },

  waits: {
    label: 'Pendiente',
    submitted: (count) => (count === 1 ? '1 entrega' : `${number.format(count)} entregas`),
    tips: (count) => (count === 1 ? '1 aviso nuevo' : `${number.format(count)} avisos nuevos`),
    in: (what, where) => `${what} en ${where}`,
    begun: 'Algo espera su decisión en la mesa.',
  },
};
