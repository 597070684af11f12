import type * as en from '../en/desk-offline.ts';

export const deskOffline: typeof en.deskOffline = {
  title: 'No se puede llegar a la mesa',
  say: 'Este dispositivo no tiene conexión en este momento, o el sitio no responde. En cuanto responda, esta página se abrirá sola.',
  again: 'Intentarlo ahora',
  known: 'Puede escribir aquí sin conexión',
  noLine: 'Sin conexión. Siga escribiendo: todo se guarda en este dispositivo y se envía solo.',
  lineBack: 'La conexión ha vuelto. Se está enviando lo que esperaba.',
  notYours: 'Esta mesa ya no está abierta para usted. Sus palabras siguen en este dispositivo.',
  whole: 'Abrir la mesa completa',
};
