import type * as en from '../en/composer.ts';
import { formatNumber } from '../plural.ts';

export const composer: typeof en.composer = {
  title: 'Nueva actualización',
  readOnly: 'Con su función puede leer esta mesa, pero no escribir actualizaciones.',
  notYet: 'Puede guardar borradores ahora y publicar cuando la cobertura esté en directo.',
  over: 'Esta cobertura ya no admite actualizaciones.',
  offline: 'No tiene conexión. Siga escribiendo.',
  body: 'Qué ha pasado',
  placeholder: 'Escriba una actualización…',
  continueDraft: (text) => `Continuar: ${text}`,
  headline: 'Titular',
  headlineHelp: 'Opcional. Ayuda a encontrarla.',
  key_event: 'Momento clave',
  urgency: 'Urgencia',
  verification: 'Verificación',
  verifications: {
    confirmed: 'Confirmado',
    developing: 'En desarrollo',
    unverified: 'Sin verificar',
  },
  attribution: 'Fuente',
  attributionHelp: 'De dónde viene la información. Los lectores la ven.',
  dateline: 'Lugar',
  datelineHelp:
    'Dónde se ha escrito, por ejemplo: Puente de Harrow. La actualización siguiente empieza con él.',
  occurred_at: (zone) => `Cuándo ocurrió (${zone})`,
  occurredHelp: 'Solo si no acaba de ocurrir.',
  desk_note: 'Nota para la mesa',
  deskNoteHelp: 'Para la mesa. Los lectores no la ven nunca.',
  more: 'Más',
  preview: 'Vista previa',
  count: (length, most) => `${formatNumber(length, 'es')} de ${formatNumber(most, 'es')} caracteres`,
  clear: 'Borrar',

  filled: {
    source: (text) => `Fuente: ${text}`,
    happened: (time) => `Ocurrió: ${time}`,
    by: (names) => `Firma: ${names}`,
    desk_note: (text) => `Nota para la mesa: ${text}`,
  },

  bylines: {
    title: 'Firma',
    self: 'Su nombre, si no elige otro.',
    author: 'El nombre del autor, si no elige otro.',
    choose: 'Otra persona',
    chooseName: 'Elija un nombre',
    add: 'Añadir nombre',
    earlier: 'Subir',
    takeOut: 'Quitar',
    about: (action, name) => `${action}: ${name}`,
    unknown: 'Nombre desconocido',
    notNow: 'Los nombres no están disponibles sin conexión. Inténtelo de nuevo cuando tenga conexión.',
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
    table: 'Tabla',
  },

  mediaHelp:
    'Debajo de la dirección de un vídeo o audio, una línea que empieza por «: » es su título. Las siguientes son su descripción o transcripción.',
  photoLine: (index) => `[foto ${index}]`,
  photoPlaces: {
    into: 'Poner en el texto',
    out: 'Poner tras el texto',
    stands: (line) => `Está en el texto, en la línea ${line}. Mueva esa línea para mover la foto.`,
    moved: (line) => `Ahora está en la línea ${line}.`,
    after: 'Ahora está tras el texto.',
  },

  shortcuts: {
    title: 'Atajos de teclado',
    open: 'Teclas',
    keys: 'Tecla',
    does: 'Acción',
    on: 'Usar las teclas sin Ctrl ni ⌘ fuera de los campos de texto',
    write: 'Escribir una actualización nueva',
    show: 'Mostrar los atajos de teclado',
    help: [
      '**negrita**',
      '*cursiva*',
      '[texto](dirección)',
      '- lista',
      '1. lista numerada',
      '> cita',
      '> — quién lo dijo',
    ],
    helpTitle: 'En el texto',
    helpAddress:
      'Una dirección sola en una línea se convierte en enlace. Para enlazar texto, selecciónelo y pegue una dirección.',
    helpPlain: 'Ctrl o ⌘ con Mayús y V pega el texto sin formato.',
  },

  clocks: {
    skipped: (time) => `Esa hora no existe, porque cambia la hora oficial. Se usa: ${time}.`,
    twice: (time) => `Esa hora ocurre dos veces, porque cambia la hora oficial. Se usa la primera: ${time}.`,
  },

  notYetHappened: 'Indique una hora que ya haya pasado, o déjela vacía.',
  tooManyNames: (most) => `Elija como máximo ${most} personas.`,
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
    spike: 'Descarte',
    unschedule: 'Cancelación de la programación',
    pin: 'Fijación',
    summary: 'Resumen',
  },
  steps: {
    on_device: 'En este dispositivo',
    sending: 'Enviando',
    with_desk: 'En la mesa',
    live: 'Publicada',
    needs_you: 'Sin guardar',
  },
  number: (number) => `actualización ${number}`,
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
    'Ahora hay otra persona con la sesión iniciada aquí. Su texto está guardado; inicie sesión de nuevo para enviarlo.',
  view: 'Ver',
  undo: 'Deshacer',
  undoHelp: 'Deshacer la retira y dice a los lectores por qué.',
  takeBack: 'Cancelar el envío',
  open: 'Abrir',
  again: 'Enviar de nuevo',
  throwAway: 'Borrar',
  sure: '¿Borrar este texto?',
  keep: 'Conservarlo',
  undoReason: 'Publicada por error y retirada en el acto.',
  tookBack: 'Deshecho. Su texto vuelve a estar en el editor.',
  signOut: {
    title: 'No todo se ha enviado',
    waits: 'Parte de su trabajo está en este dispositivo y aún no se ha enviado.',
    send: 'Enviar primero y cerrar la sesión',
    sending: 'Enviando. Después se cerrará la sesión.',
    notSent: 'Ahora no se puede enviar. Queda guardado aquí.',
    needsYou:
      'Algunos textos no se publicaron o se rechazaron. Quedan guardados en este dispositivo. Abra la mesa para terminarlos.',
    keep: 'Cerrar la sesión y guardarlo en este dispositivo',
    throwAway: 'Borrarlo y cerrar la sesión',
    stay: 'Seguir con la sesión abierta',
  },
};

export const deskLinks: typeof en.deskLinks = {
  title: 'Enlace',
  address: 'Dirección de una página',
  addressHelp:
    'El enlace aparece con el título y la descripción de la página. Un vídeo o audio de YouTube, Vimeo, TikTok o SoundCloud lleva un botón que lo reproduce.',
  add: 'Añadir el enlace',
  addPlain: 'Añadirlo sin descripción',
  looking: 'Leyendo la página…',
  added: 'Añadido al texto, así:',
  addedPlain: 'Añadido al texto sin descripción.',
  takeOut: 'Quitar el enlace',
  removed: 'Quitado del texto.',
  notAnAddress: 'Esto no es la dirección de una página web.',
  offline: 'No se ha podido leer la página: no hay conexión o no responde.',
};
