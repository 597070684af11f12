import type * as en from '../en/feed.ts';

export const feed: typeof en.feed = {
  checked: (time) => `comprobado ${time}`,
  pausedNote: 'habrá más',
  newest: (time) => `lo último ${time}`,
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
  pause: 'Pausar',
  resume: 'Seguir',
  held: (count) => (count === 1 ? '1 novedad' : `${count} novedades`),
  reload: {
    newer: 'Cargar la edición más reciente',
    begun: 'Ha empezado: cargue la página',
    lost: 'Han pasado muchas cosas: cargue la página de nuevo',
  },
  gone: 'Esta cobertura se ha retirado. Ya no se puede leer aquí.',
};
