import type * as en from '../en/running.ts';

export const running: typeof en.running = {
  settings: 'Ajustes',
  means: {
    scheduled:
      'Los lectores encuentran una página de espera con la hora de inicio. A esa hora empieza por sí sola.',
    live: 'Los lectores la ven en la portada y reciben cada actualización según llega.',
    resumed: 'Los lectores la ven de nuevo en directo y reciben cada actualización según llega.',
    paused: 'Se avisa a los lectores de que está en pausa. Se puede seguir publicando.',
    ended: 'Se avisa a los lectores de que ha terminado. Se puede seguir publicando y se puede reabrir.',
    reopened: 'Los lectores la ven de nuevo en directo, al principio de la portada.',
    archived: 'Se puede leer para siempre y no admite más actualizaciones. No se puede deshacer.',
    withdrawn: 'Desaparece entera para los lectores, para siempre.',
  },
  stands: {
    draft: 'Solo la ve la mesa.',
    scheduled: 'Los lectores ven una página de espera.',
    live: 'Los lectores reciben cada actualización según llega.',
    paused: 'Se avisa a los lectores de que está en pausa.',
    ended: 'Se avisa a los lectores de que ha terminado.',
    archived: 'Los lectores pueden leerla. No admite más actualizaciones.',
    withdrawn: 'Se avisa a los lectores de que se retiró.',
  },
  what: 'Qué hace cada botón',
  archiveTitle: 'Archivar esta cobertura',
  archiveConfirm: 'Archivarla',

  pinned: 'Fijada',
  pinnedNumber: (number) => `número ${number}`,
  unpin: 'Dejar de fijar',
  unpinned: 'Ya no está fijada.',

  silent: {
    title: 'Coberturas en silencio',
    since: (time) => `En silencio desde ${time}.`,
    choose: 'Termínela, páusela o siga.',
    end: 'Terminar',
    pause: 'Pausar',
    goOn: 'Seguir',
    wentOn: 'Anotado. Se le avisará cuando lleve otro tanto en silencio.',
    about: (action, headline) => `${action}: ${headline}`,
  },

  versions: {
    title: 'Versiones anteriores',
    show: 'Ver las versiones',
    none: 'Todavía no hay ninguna versión.',
    older: 'Ver anteriores',
    version: (number) => `Versión ${number}`,
    by: (name) => `por ${name}`,
    now: 'la actual',
    empty: 'Se quitó.',
    bringBack: 'Recuperar',
    broughtBack: 'Estas palabras están en el cuadro. Guárdelas para que las vean los lectores.',
  },
};
