import type * as en from '../en/feeds.ts';

export const feeds: typeof en.feeds = {
  label: 'Canales:',
  title: 'Para seguirnos en un lector de canales',
  say: 'Todo lo que lleva titular, cada momento clave, cada corrección y cada retirada, de todas las coberturas:',
  each: 'Cada cobertura y cada tema tienen sus propios canales: los enlaces están al pie de su página. Los de una cobertura llevan todas sus entradas.',
};
