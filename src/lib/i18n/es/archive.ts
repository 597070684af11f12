import type * as en from '../en/archive.ts';
import { formatNumber, plural } from '../plural.ts';

export const archive: typeof en.archive = {
  title: 'Hemeroteca',
  what: (name) => `Todas las coberturas de ${name}, por el mes en que empezaron.`,
  description: (name) => `Todas las coberturas de ${name}, por año y mes.`,
  none: 'Aún no hay coberturas.',
  coverages: (n) => `${formatNumber(n, 'es')} ${plural(n, 'cobertura', 'coberturas', 'es')}`,
  olderCoverage: 'Coberturas anteriores',

  month: {
    title: (month) => `Coberturas que empezaron en ${month}`,
    pageOf: (title, page) => `${title}, página ${page}`,
    page: (page, pages) => `Página ${page} de ${pages}`,
    description: (month, name) => `Coberturas de ${name} que empezaron en ${month}, día a día.`,
    pages: 'Páginas de este mes',
    previous: 'Página anterior',
    next: 'Página siguiente',
    neighbours: 'Otros meses',
  },

  pages: 'Anteriores y posteriores',
  newest: 'Lo más reciente',
  older: 'Anteriores',
  pageOf: (title, days) => `${title}, ${days}`,

  timeline: {
    title: 'Cronología',
    of: (headline) => `Cronología: ${headline}`,
    description: (headline) => `${headline}, día a día, con sus momentos clave.`,
    days: (n) => `${formatNumber(n, 'es')} ${plural(n, 'día', 'días', 'es')}`,
    events: (n) => `${formatNumber(n, 'es')} ${plural(n, 'momento clave', 'momentos clave', 'es')}`,
    more: 'Aquí solo figuran los momentos clave más recientes.',
    read: (updates, day) => `${updates}: leer desde el comienzo del ${day}`,
  },
};
