import type * as en from '../en/search.ts';
import { formatNumber, plural } from '../plural.ts';

export const search: typeof en.search = {
  title: 'Buscar',
  titleOf: (query) => `${query}: búsqueda`,
  description: (name) => `Busque en todo lo que ha publicado ${name}.`,
  here: 'Buscar en esta cobertura',
  query: '¿Qué busca?',
  submit: 'Buscar',
  help: 'Se busca en todas las coberturas y en todas las actualizaciones. «Lo que va entre comillas» se busca junto; un signo menos delante de una palabra deja fuera lo que la contiene.',
  topics: 'O vaya por temas:',

  narrow: 'Acotar la búsqueda',
  any: { coverage: 'En todas las coberturas', topic: 'De cualquier tema', person: 'De cualquier persona' },
  fields: { coverage: 'Cobertura', topic: 'Tema', person: 'De', from: 'Desde', to: 'Hasta' },
  chosen: 'Solo se muestra lo que cumple esto',
  remove: 'Quitar',
  removeOf: (what, value) => `Quitar ${what}: ${value}`,

  results: 'Lo que se ha encontrado',
  resultCount: (total) => `${formatNumber(total, 'es')} ${plural(total, 'resultado', 'resultados', 'es')}`,
  minResultCount: (total) => `${formatNumber(total, 'es')} resultados o más`,
  meant: (words) => `Se muestra lo encontrado para «${words}»`,
  coverage: 'Cobertura',
  updateOf: 'en',
  corrected: 'Corregida',
  pages: 'Páginas de lo encontrado',
  page: (page) => `Página ${page}`,
  previous: 'Anterior',
  next: 'Siguiente',
  noMore: 'Se ha encontrado más de lo que se muestra. Añada una palabra o acote la búsqueda.',

  none: (query) => `No se ha encontrado nada para «${query}».`,
  nonePage: 'No hay más.',
  noneNext: 'Pruebe con menos palabras o con otras que digan lo mismo.',
  everywhere: 'Buscar en todo',
  first: 'Al principio de lo encontrado',

  noWord:
    'Aquí no hay ninguna palabra que buscar. Las palabras pequeñas están en todos los textos y no encuentran nada: escriba una que destaque.',
  noDay: (text) => `«${text}» no es un día. Escríbalo así: 2026-11-22.`,
  noSpan: 'El primer día es posterior al último.',
};
