import type * as en from '../en/running.ts';

export const running: typeof en.running = {
  settings: 'Ajustes',
  means: {
    scheduled:
      'Los lectores ven una página con la hora de inicio. La cobertura pasa a estar en directo a esa hora.',
    live: 'Los lectores la ven en la portada y reciben cada actualización.',
    resumed: 'Los lectores la ven de nuevo en directo y reciben cada actualización.',
    paused: 'Los lectores ven que está en pausa. Se puede seguir publicando.',
    ended: 'Los lectores ven que ha terminado. Se puede seguir publicando, y también reabrirla.',
    reopened: 'Los lectores la ven de nuevo en directo, al principio de la portada.',
    archived: 'Se puede seguir leyendo y no admite más actualizaciones. No se puede deshacer.',
    withdrawn: 'Los lectores ya no podrán leer nada de esta cobertura. No se puede deshacer.',
  },
  stands: {
    draft: 'Solo la ve la mesa.',
    scheduled: 'Los lectores ven una página de espera.',
    live: 'Los lectores reciben cada actualización.',
    paused: 'Los lectores ven que está en pausa.',
    ended: 'Los lectores ven que ha terminado.',
    archived: 'Los lectores pueden leerla. No admite más actualizaciones.',
    withdrawn: 'Los lectores ven que se retiró.',
  },
  menu: (state) => `Estado de la cobertura: ${state}`,
  confirm: {
    ended: { title: '¿Terminar esta cobertura?', confirm: 'Terminar' },
    archived: { title: '¿Archivar esta cobertura?', confirm: 'Archivar' },
    withdrawn: { title: '¿Retirar esta cobertura?', confirm: 'Retirar' },
  },

  pinned: 'Fijada:',
  pinnedNumber: (number) => `(n.º\u00a0${number})`,
  unpin: 'Dejar de fijar',
  unpinned: 'Ya no está fijada.',

  silent: {
    title: 'Coberturas sin novedades',
    since: (time) => `Sin actualizaciones desde ${time}.`,
    choose: 'Termínela, páusela o manténgala en directo.',
    end: 'Terminar',
    pause: 'Pausar',
    goOn: 'Mantener en directo',
    wentOn: 'Sigue en directo. Recibirá otro recordatorio tras el mismo tiempo.',
    about: (action, headline) => `${action}: ${headline}`,
  },

  versions: {
    title: 'Versiones anteriores',
    show: 'Ver las versiones',
    none: 'Aún no hay versiones.',
    older: 'Ver anteriores',
    version: (number) => `Versión ${number}`,
    by: (name) => `por ${name}`,
    now: 'actual',
    empty: 'Se quitó.',
    bringBack: 'Recuperar',
    broughtBack: 'La versión está en el editor. Guárdela para que la vean los lectores.',
  },
};
