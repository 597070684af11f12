import type * as en from '../en/desk.ts';
import { formatList, formatNumber, plural } from '../plural.ts';

export const desk: typeof en.desk = {
  name: 'Mesa',
  skip: 'Ir al contenido',
  timesIn: (zone) => `Horas en ${zone}`,
  forbidden: {
    title: 'No es su mesa',
    noDesk: 'Su cuenta lee; no escribe. Pida una función al dueño de esta redacción.',
    notThis: 'Esta cobertura no está abierta para usted. Pida a un editor que le añada.',
    notMake: 'Solo los editores crean coberturas.',
    home: 'Portada',
  },
  you: (name, role) => `${name}, ${role}`,
  roles: {
    reader: 'lector',
    contributor: 'colaborador',
    reporter: 'reportero',
    moderator: 'moderador',
    editor: 'editor',
    owner: 'dueño',
  },

  overview: {
    title: 'Todas las coberturas',
    make: 'Nueva cobertura',
    none: 'Aún no hay coberturas. Cree la primera.',
    noneOpen: 'No le han añadido a ninguna cobertura. Pídaselo a un editor.',
    updates: (count) =>
      `${formatNumber(count, 'es')} ${plural(count, 'actualización', 'actualizaciones', 'es')}`,
    newest: 'actualizada',
    empty: 'sin actualizaciones',
    newer: 'Atrás',
    older: 'Más',
    groups: { running: 'En directo', preparing: 'En preparación', over: 'Terminadas' },
  },

  states: {
    draft: 'Borrador',
    scheduled: 'Programada',
    live: 'En directo',
    paused: 'En pausa',
    ended: 'Terminada',
    archived: 'Archivada',
    withdrawn: 'Retirada',
  },

  updateStates: {
    draft: 'Borrador',
    submitted: 'Entregada',
    scheduled: 'Programada',
    published: 'Publicada',
    withdrawn: 'Retirada',
    spiked: 'Descartada',
  },

  urgencies: { normal: 'Normal', important: 'Importante', urgent: 'Urgente' },

  saving: {
    publish: 'Publicar',
    save: 'Guardar borrador',
    submit: 'Entregar',
    schedule: 'Programar',
    change: 'Guardar el cambio',
  },

  schedule: {
    later: 'Publicar más tarde',
    otherTime: 'Otra hora',
    at: (zone) => `Sale a las (${zone})`,
    help: 'Sale sola, con los permisos que tenga usted entonces. Hasta ese momento, quien pueda publicarla puede cambiarla o quitarla.',
    save: 'Guardar sin cambiar la hora',
    publishNow: 'Publicar ahora',
    stands: (time, day, zone) => `Programada para las ${time}, ${day} (${zone})`,
    noTime: 'Dé un día y una hora.',
    past: 'Dé una hora por venir. Para publicar ahora, publique.',
    tooFar: (days) => `Dé una hora dentro de ${days} días.`,
    refused: (code) => `No salió a su hora: ${notOut[code] ?? notOut.internal}`,
  },

  change: {
    kind: '¿Qué clase de cambio es?',
    revision: 'Errata: a los lectores solo se les dice la hora',
    clarification: 'Aclaración: los lectores ven la nota, y queda en la lista',
    correction: 'Corrección: los lectores ven la nota, y queda en la lista',
    note: 'Nota para los lectores',
    noteHelp: 'Qué estaba mal o poco claro, y qué es lo correcto.',
  },

  status: {
    sending: 'Enviando',
    sent: {
      published: (number) => `Publicada con el número ${number}`,
      draft: 'Guardada como borrador. Está en la lista.',
      submitted: 'Entregada. Ahora decide un editor.',
      scheduled: 'Programada. Sale sola a su hora.',
      changed: 'Guardado. Los lectores ya lo ven.',
    },
    signedOut: 'Su sesión ha terminado. Su texto se conserva aquí.',
    signIn: 'Entre',
    signInThen: 'en otra pestaña y vuelva: entonces se envía.',
    newTab: '(se abre en otra pestaña)',
    notKept:
      'Este navegador no guarda nada: las palabras están solo en esta página. Déjela abierta hasta que se envíen.',
    already: (number) =>
      `Ya está publicada con el número ${number}, con las palabras de un intento anterior. Guarde estas como un cambio o descártelas.`,
  },

  frontPage: {
    title: 'Portada',
    help: 'Elige la cobertura principal y las que la siguen. Las demás van después: primero las que están en directo, luego las más recientes.',
    unarranged: 'Orden habitual',
    position: (n) => (n === 1 ? 'Principal' : `Posición ${n}`),
    repeated: (n) =>
      `Otra cobertura ${n === 1 ? 'es la principal' : `ocupa la posición ${n}`}. Elige otra posición.`,
    save: 'Guardar el orden',
    saved: 'Orden guardado.',
    view: 'Ver la portada',
    none: 'Los lectores aún no pueden ver ninguna cobertura.',
  },

  conflict: {
    title: 'Dos versiones',
    theirs: (version) => `La otra: guardada como versión ${version}`,
    mine: 'La mía: aún sin guardar',
    keepMine: 'Quedarme con la mía',
    takeTheirs: 'Usar la otra',
    both: 'Combinar a mano',
    bringBack: 'Recuperar el otro texto',
  },

  list: {
    title: 'Actualizaciones',
    none: 'Aún no hay actualizaciones. Escriba la primera.',
    noneForFilter: 'No hay actualizaciones en esta lista.',
    older: 'Mostrar anteriores',
    pinned: 'Fijada',
    keyEvent: 'Momento clave',
    corrected: 'Corregida',
    revised: 'Cambiada',
    deskNote: 'Nota para la mesa',
    reason: 'Motivo',
    number: (number) => `número ${number}`,
    by: (names) => `por ${names}`,
    noWords: 'Aún sin palabras.',
  },

  actions: {
    edit: 'Editar',
    submit: 'Entregar',
    publish: 'Publicar',
    spike: 'Descartar',
    unschedule: 'Quitar de la programación',
    pin: 'Fijar',
    unpin: 'Dejar de fijar',
    withdraw: 'Retirar',
  },
  done: {
    submit: 'Entregada. Ahora decide un editor.',
    publish: 'Publicada.',
    unschedule: 'Quitada de la programación. Vuelve a ser un borrador.',
    pin: 'Fijada.',
    unpin: 'Ya no está fijada.',
  },
  about: (action, what) => `${action}: ${what}`,
  close: 'Cerrar',
  cancel: 'Cancelar',

  withdraw: {
    reason: 'Por qué se retira',
    reasonHelp: 'Los lectores ven esto en su lugar.',
    confirm: 'Retirar',
    done: 'Retirada. Los lectores ya ven el motivo.',
  },

  spike: {
    sure: 'Una actualización descartada sale de la lista y no se publica nunca.',
    confirm: 'Descartar',
    done: 'Descartada.',
  },

  connection: {
    current: (time) => `Comprobado a las ${time}`,
    behind: (time) => `Sin respuesta desde las ${time}. Se vuelve a intentar.`,
    signedOut: 'Su sesión ha terminado.',
    notYours:
      'Esta mesa ya no está abierta para usted. La ve como estaba; lo que ha escrito se conserva aquí.',
    noScript:
      'Esta mesa necesita JavaScript para escribir. Sin él puede leer la lista como estaba cuando se hizo esta página.',
  },

  presence: {
    here: (names) => `Aquí: ${names}`,
    writing: (name) => `${name} (escribe)`,
    alone: 'No hay nadie más aquí.',
    more: (count) => `${count} más`,
    unknown: 'Ahora no se sabe quién más está aquí.',
    editing: (names) => `${formatList(names, 'es')} ${plural(names.length, 'edita', 'editan', 'es')} esto`,
    arrived: (names) =>
      `${formatList(names, 'es')} ${plural(names.length, 'ha llegado', 'han llegado', 'es')} a esta mesa.`,
  },

  coverage: {
    title: 'Cobertura',
    moves: {
      draft: { scheduled: 'Anunciar', live: 'Empezar' },
      scheduled: { live: 'Empezar', withdrawn: 'Retirar la cobertura' },
      live: { paused: 'Pausar', ended: 'Terminar', withdrawn: 'Retirar la cobertura' },
      paused: { live: 'Reanudar', ended: 'Terminar', withdrawn: 'Retirar la cobertura' },
      ended: { live: 'Reabrir', archived: 'Archivar', withdrawn: 'Retirar la cobertura' },
      archived: { withdrawn: 'Retirar la cobertura' },
      withdrawn: {},
    },
    summary: 'Resumen',
    summaryHelp: 'Lo que se sabe hasta ahora, en tres líneas. Está en lo alto de la página.',
    saveSummary: 'Guardar el resumen',
    editSummary: 'Editar el resumen',
    noSummary: 'Aún no hay resumen.',
    summaryStale: (time) => `El resumen es anterior a la actualización urgente de las ${time}. Revíselo.`,
    summarySaved: 'El resumen se ha guardado.',
    readersPage: 'Ver la página',
    withdrawLabel: (slug) => `Escriba ${slug} para confirmar`,
    withdrawMismatch: (slug) => `No es el identificador. Escriba ${slug}.`,
  },

  following: {
    title: 'Cómo siguen los lectores',
    follow: 'Se enteran de los cambios',
    followHelp:
      'Una gran multitud cuesta menos cuando pregunta. Las páginas abiertas lo adoptan por sí solas.',
    asSite: 'Como en todo el sitio',
    ways: {
      auto: 'Al momento; preguntando cuando son demasiados',
      sockets: 'Al momento',
      checks: 'Preguntando, cada tantos segundos',
    },
    stands: (follow, interval) =>
      `Ahora: ${follow}. Entre dos preguntas: ${interval === null ? 'como en todo el sitio' : `${interval} segundos`}.`,
    interval: 'Segundos entre dos preguntas',
    intervalHelp: (least, most) => `De ${least} a ${most}. Vacío: como en todo el sitio.`,
    intervalWrong: (least, most) => `Dé un número entero de ${least} a ${most}, o ninguno.`,
    save: 'Guardar cómo siguen los lectores',
    saved: 'Se ha guardado cómo siguen los lectores.',
  },

  make: {
    title: 'Nueva cobertura',
    signedOut:
      'Su sesión ha terminado. Lo que escribió se conserva en este formulario: entre y vuelva a enviarlo.',
    headline: 'Titular',
    slug: 'Dirección corta',
    slugHelp:
      'El final de su dirección, /live/…: a-z, 0-9 y guiones. Si queda vacía, se forma con el titular.',
    kicker: 'Antetítulo',
    kickerHelp: 'Una o dos palabras sobre el titular.',
    standfirst: 'Entradilla',
    standfirstHelp: 'De qué trata, en una o dos frases.',
    time_zone: 'Zona horaria',
    timeZoneHelp: 'Los lectores ven las horas de esta cobertura en esta zona.',
    language: 'Idioma',
    languageHelp: 'El idioma en que se escriben sus actualizaciones.',
    starts_at: 'Empieza',
    startsHelp: 'Opcional. Solo hace falta para anunciar la cobertura antes de que empiece.',
    startsWrong: 'Escriba un día y una hora o déjelo vacío.',
    submit: 'Crear cobertura',
    draftFirst: 'Empieza como borrador que solo ve la redacción.',
  },

  problems: {
    empty: 'Escriba algo primero.',
    tooLong: (length, most) =>
      `${formatNumber(length, 'es')} caracteres son demasiados. Como mucho ${formatNumber(most, 'es')}.`,
    blocks: (count, most) => `${count} párrafos son demasiados. Como mucho ${most}.`,
    note: (most) => `Diga a los lectores qué cambió, en 1 a ${most} caracteres.`,
  },
};

const notOut: Record<string, string> = {
  forbidden: 'quien la programó ya no puede publicarla. Publíquela o dele otra hora.',
  bad_state:
    'la cobertura no admite ahora actualizaciones. Cambie su estado y después publíquela o dele otra hora.',
  invalid: 'algo en ella no cumple una regla. Edítela y después publíquela o dele otra hora.',
  internal: 'algo falló por nuestra parte. Publíquela o dele otra hora.',
};

const number = new Intl.NumberFormat('es');

export const deskList: typeof en.deskList = {
  filters: {
    work: 'Todo',
    submitted: 'Entregadas',
    draft: 'Borradores',
    scheduled: 'Programadas',
    published: 'Publicadas',
    withdrawn: 'Retiradas',
    spiked: 'Descartadas',
    mine: 'Mías',
    key: 'Momentos clave',
    corrected: 'Corregidas',
    photos: 'Con fotos',
  },
  filter: 'Mostrar',
  count: (count, isWhole) => `${number.format(count)}${isWhole ? '' : '+'}`,

  search: 'Buscar',
  searchHelp: 'En textos, nombres, notas y lugares, de todos los estados que usted ve.',
  resultCount: (count, isWhole) => {
    if (count === 0) return 'Nada contiene estas palabras.';
    if (!isWhole) return `${number.format(count)} o más resultados.`;
    return count === 1 ? '1 resultado.' : `${number.format(count)} resultados.`;
  },
  clearSearch: 'Volver a mostrar todo',
  attribution: 'Fuente',
  dateline: 'Lugar',

  waiting: (count) => (count === 1 ? '1 nueva: mostrarla' : `${number.format(count)} nuevas: mostrarlas`),
  somebodyEdits: (names, count) =>
    `${names} también ${count === 1 ? 'edita' : 'editan'} esta actualización. Si usted guarda después, podrá comparar aquí las dos versiones.`,
  newerSaved: 'Otra persona ha guardado una versión más reciente mientras usted escribía.',
  compare: 'Comparar',

  keys: {
    next: 'Actualización siguiente de la lista',
    previous: 'Actualización anterior de la lista',
    edit: 'Editar la actualización',
    publish: 'Publicarla',
    submit: 'Entregarla',
    spike: 'Descartarla',
    pin: 'Fijarla o dejar de fijarla',
    withdraw: 'Retirarla',
    find: 'Buscar en la lista',
    news: 'Mostrar las novedades de la lista',
  },

  tips: {
    title: 'Avisos',
    open: (count) =>
      count === 0 ? 'ninguno abierto' : `${number.format(count)} ${count === 1 ? 'abierto' : 'abiertos'}`,
    all: 'En la cola de avisos',
  },

  waits: {
    label: 'Pendiente',
    submitted: (count) => (count === 1 ? '1 entrega' : `${number.format(count)} entregas`),
    tips: (count) => (count === 1 ? '1 aviso nuevo' : `${number.format(count)} avisos nuevos`),
    in: (what, where) => `${what} en ${where}`,
    begun: 'Algo espera su decisión en la mesa.',
  },
};

export const deskOffline: typeof en.deskOffline = {
  title: 'No se puede llegar a la mesa',
  say: 'Este dispositivo no tiene conexión en este momento, o el sitio no responde. En cuanto responda, esta página se abrirá sola.',
  again: 'Intentarlo ahora',
  known: 'Puede escribir aquí sin conexión',
  noLine: 'Sin conexión. Siga escribiendo: todo se guarda en este dispositivo y se envía solo.',
  lineBack: 'La conexión ha vuelto. Se está enviando lo que esperaba.',
  notYours: 'Esta mesa ya no está abierta para usted. Sus palabras siguen en este dispositivo.',
  whole: 'Abrir la mesa completa',
};

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
    withdrawn: 'Los lectores ya no podrán leer nada de esta cobertura. No se puede deshacer.',
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
  menu: (state) => `Estado de la cobertura: ${state}`,
  confirm: {
    ended: { title: '¿Terminar esta cobertura?', confirm: 'Terminar la cobertura' },
    archived: { title: '¿Archivar esta cobertura?', confirm: 'Archivar la cobertura' },
    withdrawn: { title: '¿Retirar esta cobertura?', confirm: 'Retirar la cobertura' },
  },

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
