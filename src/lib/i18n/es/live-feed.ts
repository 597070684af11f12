import type * as en from '../en/live-feed.ts';

export const feed: typeof en.feed = {
  updated: (time) => `Actualizada ${time}`,
  pausedNote: 'habrá más',
  every: (seconds) =>
    seconds === 60
      ? 'se comprueba una vez por minuto'
      : seconds % 60 === 0
        ? `se comprueba cada ${seconds / 60} minutos`
        : `se comprueba cada ${seconds} segundos`,
  behind: 'Sin actualizar',
  offline: 'Sin conexión',
  savedCopy: 'copia guardada',
  pausedByYou: 'Usted ha pausado la página',
  since: (time) => `desde ${time}`,
  tryingAgain: 'se vuelve a intentar',
  pause: 'Pausar las actualizaciones',
  resume: 'Reanudar las actualizaciones',
  held: (count) => (count === 1 ? '1 novedad' : `${count} novedades`),
  urgent: (words) => `Urgente: ${words}`,
  reload: {
    newer: 'Nueva versión. Recargar',
    begun: 'El directo ha empezado. Recargar',
    lost: 'Las actualizaciones en directo se detuvieron. Recargar',
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
  savedCopy: 'Copia guardada. Versión de las',

  nothingSent: 'No tiene conexión. Desde esta copia guardada no se pueden enviar avisos.',

  page: {
    title: 'No se puede acceder al sitio',
    say: 'No tiene conexión o el sitio no responde. Esta página no está guardada en este dispositivo.',
    saved: 'Guardado en este dispositivo',
    none: 'Aún no hay páginas guardadas. Las páginas en directo que abra se guardan aquí.',
    again: 'Volver a intentarlo',
    forget: 'Eliminar de este dispositivo',
    forgotten: 'Todas las páginas guardadas se han eliminado de este dispositivo.',
  },
};
