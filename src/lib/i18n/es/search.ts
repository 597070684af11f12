import type * as en from '../en/search.ts';
import { formatNumber, plural } from '../plural.ts';

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
