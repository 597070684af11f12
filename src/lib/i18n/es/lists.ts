import type * as en from '../en/lists.ts';
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

export const search: typeof en.search = {
  title: 'Buscar',
  titleOf: (query) => `${query}: búsqueda`,
  description: (name) => `Busque en todo lo que ha publicado ${name}.`,
  here: 'Buscar en esta cobertura',
  query: '¿Qué busca?',
  submit: 'Buscar',
  help: 'Busca en todas las coberturas y actualizaciones. Use «comillas» para una frase exacta y un signo menos delante de una palabra para excluirla.',
  topics: 'Temas:',

  narrow: 'Filtros',
  any: { coverage: 'Todas las coberturas', topic: 'Todos los temas', person: 'Todos los autores' },
  fields: { coverage: 'Cobertura', topic: 'Tema', person: 'Autor', from: 'Desde', to: 'Hasta' },
  chosen: 'Filtros activos',
  remove: 'Quitar',
  removeOf: (what, value) => `Quitar ${what}: ${value}`,

  results: 'Resultados',
  resultCount: (total) => `${formatNumber(total, 'es')} ${plural(total, 'resultado', 'resultados', 'es')}`,
  minResultCount: (total) => `${formatNumber(total, 'es')} resultados o más`,
  meant: (words) => `Resultados para «${words}»`,
  coverage: 'Cobertura',
  updateOf: 'en',
  corrected: 'Corregida',
  pages: 'Páginas de resultados',
  page: (page) => `Página ${page}`,
  previous: 'Anterior',
  next: 'Siguiente',
  noMore: 'Hay más resultados de los que se muestran. Añada una palabra o use los filtros.',

  none: (query) => `No hay resultados para «${query}».`,
  nonePage: 'No hay más resultados.',
  noneNext: 'Pruebe con menos palabras o con otras.',
  everywhere: 'Buscar en todo',
  first: 'Primera página',

  noWord: 'Estas palabras son demasiado comunes para buscarlas. Escriba una más concreta.',
  noDay: (text) => `«${text}» no es una fecha. Escriba una como 2026-11-22.`,
  noSpan: 'La fecha inicial es posterior a la final.',
};
