import type * as en from '../en/composer.ts';
import { formatNumber } from '../plural.ts';

export const composer: typeof en.composer = {
  title: 'Nueva actualización',
  readOnly: 'Su función permite leer esta mesa. No permite escribir actualizaciones.',
  notYet: 'En esta cobertura no se publica nada hasta que esté en directo. Puede guardar borradores.',
  over: 'Esta cobertura ya no admite actualizaciones.',
  offline: 'No tiene conexión. Siga escribiendo.',
  body: 'Qué ha pasado',
  placeholder: 'Escriba una actualización…',
  continueDraft: (text) => `Continuar: ${text}`,
  headline: 'Titular',
  headlineHelp: 'Opcional',
  key_event: 'Momento clave',
  urgency: 'Urgencia',
  verification: 'Verificación',
  verifications: {
    confirmed: 'Confirmado',
    developing: 'En desarrollo',
    unverified: 'Sin verificar',
  },
  attribution: 'Fuente',
  attributionHelp: 'Quién lo dice. Los lectores lo ven.',
  dateline: 'Lugar',
  datelineHelp:
    'Dónde se ha escrito, por ejemplo: Puente de Harrow. La actualización siguiente empieza con él.',
  occurred_at: (zone) => `Cuándo ha pasado (${zone})`,
  occurredHelp: 'Solo si no es ahora.',
  desk_note: 'Nota para la mesa',
  deskNoteHelp: 'Para la mesa. Los lectores no la ven nunca.',
  more: 'Más',
  preview: 'Vista previa',
  count: (length, most) => `${formatNumber(length, 'es')} de ${formatNumber(most, 'es')} caracteres`,
  clear: 'Desechar',

  filled: {
    source: (text) => `Fuente: ${text}`,
    happened: (time) => `Ha pasado: ${time}`,
    by: (names) => `Firma: ${names}`,
    desk_note: (text) => `Nota para la mesa: ${text}`,
  },

  bylines: {
    title: 'Firma',
    self: 'Su propio nombre, si no elige a nadie.',
    author: 'Quien la escribió, si no elige a nadie.',
    choose: 'Otra persona',
    nobody: 'Elija un nombre',
    add: 'Añadir nombre',
    earlier: 'Subir',
    takeOut: 'Quitar',
    about: (action, name) => `${action}: ${name}`,
    unknown: 'Un nombre que aquí no se conoce',
    notNow: 'Ahora no se pueden leer los nombres. Inténtelo de nuevo cuando vuelva la conexión.',
    added: (name) => `Se ha añadido a ${name}.`,
    removed: (name) => `Se ha quitado a ${name}.`,
  },

  tools: {
    title: 'Formato',
    bold: 'Negrita',
    italic: 'Cursiva',
    link: 'Enlace',
    list: 'Lista',
    quote: 'Cita',
  },

  photoLine: (index) => `[foto ${index}]`,
  photoPlaces: {
    into: 'Poner en el texto',
    out: 'Poner tras el texto',
    stands: (line) => `Está en el texto, en la línea ${line}. Mueva esa línea para mover la foto.`,
    moved: (line) => `Ahora está en la línea ${line}.`,
    after: 'Ahora está tras el texto.',
  },

  shortcuts: {
    title: 'Teclas',
    open: 'Teclas',
    keys: 'Tecla',
    does: 'Qué hace',
    on: 'Las teclas sin Ctrl ni ⌘ funcionan mientras no se escribe',
    write: 'Escribir una actualización nueva',
    show: 'Mostrar las teclas',
    help: [
      '**negrita**',
      '*cursiva*',
      '[palabras](dirección)',
      '- lista',
      '1. lista numerada',
      '> cita',
      '> — quién lo dijo',
    ],
    helpTitle: 'En el texto',
    helpAddress:
      'Una dirección sola en una línea es un enlace. Pegada sobre palabras elegidas, las convierte en uno.',
    helpPlain: 'Ctrl o ⌘ con Mayús y V pega solo las palabras.',
  },

  clocks: {
    skipped: (time) => `Allí los relojes se saltan esa hora. Se entiende: ${time}.`,
    twice: (time) => `Allí los relojes muestran esa hora dos veces. Se entiende la primera: ${time}.`,
  },

  notYetHappened: 'Indique una hora que ya haya pasado, o déjela vacía.',
  tooManyNames: (most) => `Nombre como máximo a ${most} personas.`,
};

export const outbox: typeof en.outbox = {
  title: 'Bandeja de salida',
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
    needs_you: 'Sin guardar',
  },
  number: (number) => `número ${number}`,
  kept: 'Guardado. Se enviará cuando tenga conexión.',
  keptToPublish: 'Guardado. Se publicará cuando tenga conexión.',
  /** Pause reasons. */
  holdUps: {
    line: 'Guardado en este dispositivo. Se enviará cuando tenga conexión.',
    session:
      'Su sesión ha terminado. El texto está guardado en este dispositivo. Inicie sesión para enviarlo.',
  },
  keptHere: 'Guardado en este dispositivo. Deje abierta esta página: se enviará cuando tenga conexión.',
  needsYou: 'No se ha guardado. Vea la bandeja de salida.',
  withdrawn: 'Retirada. Los lectores ven que se publicó por error.',
  someoneElse:
    'Ahora hay otra persona con la sesión abierta aquí. Su texto está guardado; entre con su cuenta para enviarlo.',
  view: 'Ver',
  undo: 'Deshacer',
  undoHelp: 'Deshacer la retira y dice a los lectores por qué.',
  takeBack: 'Recuperar',
  open: 'Abrir',
  again: 'Enviar de nuevo',
  throwAway: 'Desechar',
  sure: '¿Desechar este texto?',
  keep: 'Conservarlo',
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

export const deskLinks: typeof en.deskLinks = {
  title: 'Enlace',
  address: 'Dirección de una página',
  addressHelp: 'Queda en el texto en una línea propia, con lo que la página dice de sí misma.',
  add: 'Añadir el enlace',
  addPlain: 'Añadirlo sin descripción',
  looking: 'Mirando la página…',
  added: 'Añadido al texto, así:',
  addedPlain: 'Añadido al texto sin descripción.',
  takeOut: 'Volver a quitarlo',
  removed: 'Quitado del texto.',
  notAnAddress: 'Esto no es la dirección de una página web.',
  offline: 'No se ha podido mirar la página: no hay conexión o no responde.',
};
