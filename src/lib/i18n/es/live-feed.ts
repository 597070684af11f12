import type * as en from '../en/live-feed.ts';

export const feed: typeof en.feed = {
  updated: (time) => `Actualizado ${time}`,
  pausedNote: 'habrá más',
  every: (seconds) =>
    seconds === 60
      ? 'comprueba una vez por minuto'
      : seconds % 60 === 0
        ? `comprueba cada ${seconds / 60} minutos`
        : `comprueba cada ${seconds} segundos`,
  behind: 'Con retraso',
  offline: 'Sin conexión',
  savedCopy: 'copia guardada',
  pausedByYou: 'En pausa por usted',
  since: (time) => `desde ${time}`,
  tryingAgain: 'se vuelve a intentar',
  pause: 'Pausar las actualizaciones',
  resume: 'Reanudar las actualizaciones',
  held: (count) => (count === 1 ? '1 novedad' : `${count} novedades`),
  urgent: (words) => `Urgente: ${words}`,
  reload: {
    newer: 'Recargar: hay otra versión',
    begun: 'El directo ha empezado. Recargar',
    lost: 'El directo se detuvo. Recargar',
  },
  gone: 'Esta cobertura se ha retirado. Ya no está disponible.',
};

export const states: typeof en.states = {
  scheduled: 'Programada',
  live: 'En directo',
  paused: 'En pausa',
  ended: 'Terminada',
  archived: 'Archivada',
};

export const offline: typeof en.offline = {
  savedCopy: 'Copia guardada. Página de las',

  nothingSent: 'Desde aquí no se puede enviar nada ahora mismo.',

  page: {
    title: 'No se puede llegar al sitio',
    say: 'Este dispositivo no tiene conexión ahora mismo, o el sitio no responde, y esta página no está guardada aquí.',
    saved: 'Guardado en este dispositivo',
    none: 'Aún no hay nada guardado en este dispositivo. Lo que siga aquí se guardará.',
    again: 'Volver a intentarlo',
    forget: 'Eliminar de este dispositivo',
    forgotten: 'Ya no hay nada guardado en este dispositivo.',
  },
};
