import type * as en from '../en/outbox.ts';

export const outbox: typeof en.outbox = {
  title: 'En camino',
  kinds: {
    auto: 'Borrador',
    save: 'Borrador',
    submit: 'Entrega',
    schedule: 'Actualización programada',
    publish: 'Actualización',
    change: 'Cambio',
    withdraw: 'Retirada',
    spike: 'Descartada',
    unschedule: 'Quitada de la programación',
    pin: 'Fijada',
    summary: 'Resumen',
  },
  steps: {
    on_device: 'En este dispositivo',
    sending: 'Enviando',
    with_desk: 'En la mesa',
    live: 'Publicada',
    needs_you: 'Le necesita',
  },
  number: (number) => `número ${number}`,
  kept: 'Guardado en este dispositivo. Se envía solo.',
  /** Pause reasons. */
  holdUps: {
    line: 'Guardado en este dispositivo. Se enviará cuando la redacción vuelva a responder.',
    session: 'Su sesión ha terminado. Guardado en este dispositivo: entre y se enviará.',
  },
  keptHere: 'Guardado aquí. Se enviará cuando esta página esté abierta y la redacción responda.',
  needsYou: 'No se ha aceptado: mire lo que está en camino.',
  withdrawn: 'Retirada.',
  someoneElse:
    'Ahora hay otra persona con la sesión abierta aquí. Su texto está guardado; entre con su cuenta para enviarlo.',
  undo: 'Deshacer',
  takeBack: 'Recuperar',
  open: 'Abrir',
  again: 'Enviar de nuevo',
  throwAway: 'Desechar',
  sure: '¿Desechar estas palabras?',
  keep: 'Conservarlas',
  undoReason: 'Publicada por error y retirada en el acto.',
  tookBack: 'Recuperado. Las palabras vuelven a estar en su cuadro.',
  signOut: {
    title: 'No todo se ha enviado',
    waits: 'Parte de su trabajo está en este dispositivo y aún no en la mesa.',
    send: 'Enviar primero y cerrar la sesión',
    sending: 'Enviando. Después se cerrará la sesión.',
    notSent: 'Ahora no se puede enviar. Queda guardado aquí.',
    needsYou:
      'El resto le espera en la mesa: palabras que aún no ha enviado o un envío que fue rechazado. Queda guardado aquí.',
    keep: 'Cerrar la sesión y guardarlo aquí hasta que vuelva',
    throwAway: 'Desecharlo y cerrar la sesión',
    stay: 'Seguir con la sesión abierta',
  },
};
