import type * as en from '../en/desk.ts';
import { formatList, formatNumber, plural } from '../plural.ts';

export const desk: typeof en.desk = {
  name: 'Mesa',
  skip: 'Ir al contenido',
  notLoaded: 'Esta página no se ha cargado del todo. Recargar',
  timesIn: (zone) => `Horas en ${zone}`,
  forbidden: {
    title: 'Sin acceso a esta mesa',
    noDesk:
      'Con su cuenta solo puede leer. Para escribir, pida una función a los propietarios de esta redacción.',
    notThis: 'No tiene acceso a esta cobertura. Pida a un editor que le añada.',
    notMake: 'Solo los editores pueden crear coberturas.',
    home: 'Portada',
  },
  you: (name, role) => `${name}, ${role}`,
  roles: {
    reader: 'lector/a',
    contributor: 'colaborador/a',
    reporter: 'reportero/a',
    moderator: 'moderador/a',
    editor: 'editor/a',
    owner: 'propietario/a',
  },

  overview: {
    title: 'Todas las coberturas',
    make: 'Nueva cobertura',
    none: 'Aún no hay coberturas. Cree la primera.',
    noneMade: 'Aún no hay coberturas. Las crean los editores.',
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
    change: 'Guardar cambio',
  },

  schedule: {
    later: 'Publicar más tarde',
    otherTime: 'Otra hora',
    at: (zone) => `Fecha y hora (${zone})`,
    help: 'Se publica a esta hora si usted sigue teniendo permiso para publicar. Hasta entonces, los editores pueden cambiarla o cancelar la programación.',
    save: 'Guardar sin cambiar la hora',
    publishNow: 'Publicar ahora',
    stands: (time, day, zone) => `Programada: ${day}, ${time} (${zone})`,
    noTime: 'Indique un día y una hora.',
    past: 'Indique una hora futura o pulse Publicar.',
    tooFar: (days) => `Indique una hora dentro de ${days} días.`,
    refused: (code) => `No se publicó a la hora programada: ${notOut[code] ?? notOut.internal}`,
  },

  change: {
    kind: '¿Qué tipo de cambio es?',
    revision: 'Cambio menor: sin nota',
    clarification: 'Aclaración: los lectores ven la nota',
    correction: 'Corrección: los lectores ven la nota',
    note: 'Nota para los lectores',
    noteHelp: 'Qué estaba mal o poco claro, y qué es lo correcto.',
  },

  status: {
    sending: 'Enviando',
    sent: {
      published: (number) => `Publicada como actualización ${number}`,
      draft: 'Guardada como borrador. Está en la lista.',
      submitted: 'Entregada a los editores.',
      scheduled: 'Programada. Se publicará automáticamente.',
      changed: 'Guardado. Los lectores ya lo ven.',
    },
    signedOut: 'Su sesión ha terminado. Su texto se conserva aquí.',
    signIn: 'Inicie sesión',
    signInThen: 'en otra pestaña y vuelva. Entonces se envía su texto.',
    newTab: '(se abre en otra pestaña)',
    notKept: 'Este navegador no puede guardar su texto. Deje abierta esta página hasta que se envíe.',
    already: (number) =>
      `Ya hay una versión anterior publicada como actualización ${number}. Guarde este texto como un cambio o bórrelo.`,
  },

  frontPage: {
    title: 'Portada',
    help: 'Elija la cobertura principal y las que la siguen. Las demás van después: primero las que están en directo, luego las más recientes.',
    unarranged: 'Orden habitual',
    position: (n) => (n === 1 ? 'Principal' : `Posición ${n}`),
    repeated: (n) =>
      `Otra cobertura ${n === 1 ? 'es la principal' : `ocupa la posición ${n}`}. Elija otra posición.`,
    save: 'Guardar el orden',
    saved: 'Orden guardado.',
    view: 'Ver la portada',
    none: 'Los lectores aún no pueden ver ninguna cobertura.',
  },

  conflict: {
    title: 'Dos versiones',
    savedBy: (name) =>
      `No se ha guardado. ${name} lo cambió antes. Compare las dos versiones y vuelva a guardar.`,
    savedByYou:
      'No se ha guardado. Usted lo cambió antes en otra página. Compare las dos versiones y vuelva a guardar.',
    theirs: (version) => `La otra: guardada como versión ${version}`,
    mine: 'La mía: aún sin guardar',
    keepMine: 'Quedarme con la mía',
    takeTheirs: 'Usar la otra',
    both: 'Combinar a mano',
    bringBack: 'Recuperar el otro texto',
    merged: 'Otra persona guardó cambios que no tocan los suyos. Su texto tiene los de ambos.',
  },

  list: {
    title: 'Actualizaciones',
    none: 'Aún no hay actualizaciones. Escriba la primera.',
    noneForFilter: 'No hay actualizaciones en esta lista.',
    older: 'Mostrar anteriores',
    pinned: 'Fijada',
    keyEvent: 'Momento clave',
    corrected: 'Corregida',
    revised: 'Revisada',
    deskNote: 'Nota para la mesa',
    reason: 'Motivo',
    number: (number) => `actualización ${number}`,
    by: (names) => `por ${names}`,
    noWords: 'Aún sin texto.',
  },

  actions: {
    edit: 'Editar',
    submit: 'Entregar',
    publish: 'Publicar',
    spike: 'Descartar',
    unschedule: 'Cancelar la programación',
    pin: 'Fijar',
    unpin: 'Dejar de fijar',
    withdraw: 'Retirar',
  },
  done: {
    submit: 'Entregada a los editores.',
    publish: 'Publicada.',
    unschedule: 'Programación cancelada. Vuelve a ser un borrador.',
    pin: 'Fijada.',
    unpin: 'Ya no está fijada.',
  },
  wordpress: {
    make: 'Crear un borrador en WordPress',
    open: 'Abrir el borrador en WordPress',
    made: (missingPhotos) =>
      missingPhotos === 0
        ? 'El borrador está en WordPress.'
        : missingPhotos === 1
          ? 'El borrador está en WordPress. No se pudo subir una foto, que allí es un enlace. Añádala en WordPress y compruebe que su usuario tiene el perfil de autor o editor.'
          : `El borrador está en WordPress. No se pudieron subir ${missingPhotos} fotos, que allí son enlaces. Añádalas en WordPress y compruebe que su usuario tiene el perfil de autor o editor.`,
    exists: 'Este borrador ya se había creado.',
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
    behind: (time) => `Sin conexión desde las ${time}. Se vuelve a intentar.`,
    signedOut: 'Su sesión ha terminado.',
    notYours: 'Ya no tiene acceso a esta mesa. Su texto se conserva aquí.',
    noScript: 'Para escribir en esta mesa hace falta JavaScript. Sin él puede leer la lista.',
  },

  presence: {
    here: (names) => `Aquí: ${names}`,
    writing: (name) => `${name} (escribiendo)`,
    alone: 'No hay nadie más aquí.',
    more: (count) => `${count} más`,
    unknown: 'La lista de personas no está disponible ahora mismo.',
    editing: (names) => `${formatList(names, 'es')} ${plural(names.length, 'edita', 'editan', 'es')} esto`,
    arrived: (names) =>
      `${formatList(names, 'es')} ${plural(names.length, 'ha abierto', 'han abierto', 'es')} esta mesa.`,
  },

  coverage: {
    title: 'Cobertura',
    moves: {
      draft: { scheduled: 'Programar la cobertura', live: 'Poner en directo' },
      scheduled: { live: 'Poner en directo', withdrawn: 'Retirar la cobertura' },
      live: { paused: 'Pausar', ended: 'Terminar', withdrawn: 'Retirar la cobertura' },
      paused: { live: 'Reanudar', ended: 'Terminar', withdrawn: 'Retirar la cobertura' },
      ended: { live: 'Reabrir', archived: 'Archivar', withdrawn: 'Retirar la cobertura' },
      archived: { withdrawn: 'Retirar la cobertura' },
      withdrawn: {},
    },
    summary: 'Resumen',
    summaryHelp: 'Lo que se sabe hasta ahora, en tres líneas. Aparece al principio de la página.',
    saveSummary: 'Guardar el resumen',
    editSummary: 'Editar el resumen',
    noSummary: 'Aún no hay resumen.',
    summaryStale: (time) => `El resumen es anterior a la actualización urgente (${time}). Revíselo.`,
    summarySaved: 'El resumen se ha guardado.',
    readersPage: 'Ver la página',
    withdrawLabel: (slug) => `Escriba ${slug} para confirmar`,
    withdrawMismatch: (slug) => `No es la dirección corta. Escriba ${slug}.`,
  },

  following: {
    title: 'Cómo reciben los cambios los lectores',
    follow: 'Los cambios llegan',
    followHelp:
      'Automático: al instante, o con comprobaciones cuando hay muchos lectores. Las páginas abiertas cambian de modo por sí solas.',
    asSite: 'Según los ajustes del sitio',
    ways: {
      auto: 'Automático',
      sockets: 'Al instante',
      checks: 'Con comprobaciones periódicas',
    },
    stands: (follow, interval) =>
      `Ahora: ${follow}. Entre dos comprobaciones: ${interval === null ? 'según los ajustes del sitio' : `${interval} segundos`}.`,
    interval: 'Segundos entre dos comprobaciones',
    intervalHelp: (least, most) => `De ${least} a ${most}. Déjelo vacío para usar los ajustes del sitio.`,
    intervalWrong: (least, most) => `Indique un número entero de ${least} a ${most} o déjelo vacío.`,
    save: 'Guardar',
    saved: 'Guardado.',
  },

  make: {
    title: 'Nueva cobertura',
    signedOut:
      'Su sesión ha terminado. Su texto sigue en este formulario: inicie sesión y vuelva a enviarlo.',
    headline: 'Titular',
    slug: 'Dirección corta',
    slugHelp:
      'El final de la dirección, después de /live/. Use a-z, 0-9 y guiones. Déjela vacía para formarla con el titular.',
    kicker: 'Antetítulo',
    kickerHelp: 'Una o dos palabras sobre el titular.',
    standfirst: 'Entradilla',
    standfirstHelp: 'De qué trata, en una o dos frases.',
    time_zone: 'Zona horaria',
    timeZoneHelp: 'Los lectores ven las horas de esta cobertura en esta zona.',
    language: 'Idioma',
    languageHelp: 'El idioma en que se escriben sus actualizaciones.',
    starts_at: 'Inicio',
    startsHelp: 'Opcional. Solo hace falta para programar la cobertura.',
    startsWrong: 'Escriba un día y una hora o déjelo vacío.',
    submit: 'Crear cobertura',
    draftFirst: 'Empieza como un borrador que solo ve la redacción.',
  },

  problems: {
    empty: 'Escriba algo primero.',
    tooLong: (length, most) =>
      `${formatNumber(length, 'es')} caracteres. Acórtelo a ${formatNumber(most, 'es')}.`,
    blocks: (count, most) => `${count} párrafos. Use como máximo ${most}.`,
    table: (rows, columns) => `Una tabla tiene como máximo ${rows} filas y ${columns} columnas.`,
    map: (most) =>
      `Un mapa tiene un nombre de ${most} caracteres como máximo, una latitud de hasta 90 y una longitud de hasta 180.`,
    post: (most) =>
      `En una publicación, el autor, el alias y la red tienen como máximo ${most} caracteres cada uno.`,
    note: (most) => `Diga a los lectores qué cambió, en 1 a ${most} caracteres.`,
  },
};

const notOut: Record<string, string> = {
  forbidden: 'la persona que la programó ya no puede publicarla. Publíquela o elija otra hora.',
  bad_state:
    'la cobertura no admite ahora actualizaciones. Cambie su estado y después publíquela o elija otra hora.',
  invalid: 'contiene un dato no válido. Edítela y después publíquela o elija otra hora.',
  internal: 'algo falló por nuestra parte. Publíquela o elija otra hora.',
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
  searchHelp: 'Busca en textos, nombres, notas y lugares de todas las actualizaciones.',
  resultCount: (count, isWhole) => {
    if (count === 0) return 'Sin resultados.';
    if (!isWhole) return `${number.format(count)} o más resultados.`;
    return count === 1 ? '1 resultado.' : `${number.format(count)} resultados.`;
  },
  clearSearch: 'Volver a mostrar todo',
  filed: {
    by: (channel: string) => `Por ${channel}`,
    original: 'Mensaje original',
    gone: 'El mensaje ya no se conserva.',
    changes: 'Cambios desde entonces',
  },
  attribution: 'Fuente',
  dateline: 'Lugar',

  waiting: (count) =>
    count === 1 ? 'Mostrar 1 actualización nueva' : `Mostrar ${number.format(count)} actualizaciones nuevas`,
  somebodyEdits: (names, count) =>
    `${names} también ${count === 1 ? 'edita' : 'editan'} esta actualización. Si guardan antes que usted, podrá comparar aquí las dos versiones.`,
  newerSaved: 'Otra persona ha guardado una versión más reciente mientras usted escribía.',
  newerSavedBy: (name) => `${name} ha guardado una versión más reciente mientras usted escribía.`,
  newerSavedByYou: 'Usted ha guardado una versión más reciente en otra página.',
  compare: 'Comparar',

  keys: {
    next: 'Actualización siguiente de la lista',
    previous: 'Actualización anterior de la lista',
    edit: 'Editar la actualización',
    publish: 'Publicar la actualización',
    submit: 'Entregar la actualización',
    spike: 'Descartar la actualización',
    pin: 'Fijar la actualización o dejar de fijarla',
    withdraw: 'Retirar la actualización',
    find: 'Buscar en la lista',
    news: 'Mostrar las novedades de la lista',
  },

  tips: {
    title: 'Avisos',
    open: (count) =>
      count === 0 ? 'ninguno abierto' : `${number.format(count)} ${count === 1 ? 'abierto' : 'abiertos'}`,
    all: 'Abrir la cola de avisos',
  },

  waits: {
    label: 'Pendiente',
    submitted: (count) => (count === 1 ? '1 entrega' : `${number.format(count)} entregas`),
    tips: (count) => (count === 1 ? '1 aviso nuevo' : `${number.format(count)} avisos nuevos`),
    in: (what, where) => `${what} en ${where}`,
    begun: 'Hay trabajo pendiente en la mesa.',
  },
};

export const deskOffline: typeof en.deskOffline = {
  title: 'No se puede acceder a la mesa',
  say: 'Este dispositivo no tiene conexión o el sitio no responde. La mesa se abrirá cuando vuelva la conexión.',
  again: 'Intentarlo ahora',
  known: 'Coberturas en las que puede escribir sin conexión',
  noLine:
    'No tiene conexión. Siga escribiendo: todo se guarda en este dispositivo y se enviará cuando tenga conexión.',
  lineBack: 'Vuelve a tener conexión. Se está enviando la bandeja de salida.',
  notYours: 'Ya no tiene acceso a esta mesa. Su texto sigue en este dispositivo.',
  whole: 'Abrir la mesa completa',
};

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
