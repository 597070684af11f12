import type * as en from '../en/offline.ts';

export const offline: typeof en.offline = {
  savedCopy: 'Copia guardada: lo que decía esta página a las',

  nothingSent: 'Desde aquí no se puede enviar nada ahora mismo.',

  page: {
    title: 'No se puede llegar al sitio',
    say: 'Este dispositivo no tiene conexión ahora mismo, o el sitio no responde, y esta página no está guardada aquí.',
    saved: 'Guardado en este dispositivo',
    none: 'Aún no hay nada guardado en este dispositivo. Lo que siga aquí se guardará.',
    again: 'Volver a intentarlo',
    forget: 'Olvidar estas copias',
    forgotten: 'Ya no hay nada guardado en este dispositivo.',
  },
};
