import type * as en from '../en/surge.ts';

export const surge: typeof en.surge = {
  title: 'Cómo siguen los lectores',
  help: 'En una avalancha, las páginas abiertas preguntan una vez por minuto, cuando de otro modo se les avisa al momento o preguntan más a menudo: el servidor soporta muchas más. Pasan en menos de un minuto, y vuelven igual. Las que preguntan menos a menudo siguen como están.',
  modes: {
    auto: 'Automático: avalancha mientras el servidor esté ocupado',
    on: 'Avalancha ahora, hasta que se cambie',
    off: 'Nunca avalancha, por ocupado que esté el servidor',
  },
  set: 'Aplicar',
  change: 'Cambiar esto',
  now: {
    on: [
      'Los lectores preguntan como mucho una vez por minuto desde las',
      'porque la mesa lo ha decidido así.',
    ],
    auto: [
      'Los lectores preguntan como mucho una vez por minuto desde las',
      'porque el servidor está ocupado.',
    ],
    usual: 'Los lectores siguen como siempre.',
  },
  choose: 'Elija una de las tres y aplíquela.',
};
