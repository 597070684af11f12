import type * as en from '../en/settings.ts';

export const settings: typeof en.settings = {
  title: 'Ajustes',
  of: (headline) => `Ajustes de ${headline}`,
  desk: 'Volver a su mesa',
  forbidden: 'Solo los editores cambian los ajustes de una cobertura.',
  signedOut:
    'Su sesión ha terminado. Lo que ha escrito se conserva en este formulario: entre y vuelva a enviarlo.',
  signedOutLost: 'Su sesión ha terminado. Entre y vuelva a hacerlo.',
  save: 'Guardar',
  meanwhile: (value) => `Guardado entretanto por otra persona: ${value}`,
  nothing: 'nada',
  conflict:
    'Otra persona ha cambiado esto entretanto. Lo que guardó está debajo de lo que usted ha escrito. Vuelva a guardar para poner lo suyo en su lugar.',

  parts: {
    words: 'Textos',
    address: 'Dirección',
    place: 'Hora e idioma',
    topics: 'Temas',
    topic: 'Tema',
    following: 'Cómo siguen los lectores',
    people: 'Colaboradores',
  },
  done: {
    words: 'Los textos se han guardado.',
    address: 'La dirección se ha guardado. La antigua lleva a la nueva.',
    place: 'La hora y el idioma se han guardado.',
    topics: 'Los temas se han guardado.',
    topic: 'El tema se ha guardado.',
    following: 'Cómo siguen los lectores se ha guardado. Las páginas abiertas lo adoptan por sí solas.',
    added: 'Se ha añadido.',
    extended: 'Su plazo se ha fijado.',
    removed: 'Ya no tiene lugar aquí.',
  },

  slugHelp: (address) =>
    `Ahora ${address}. Si la cambia, la dirección antigua lleva a los lectores a la nueva.`,
  language: (name, direction) =>
    `${name}, se escribe de ${direction === 'rtl' ? 'derecha a izquierda' : 'izquierda a derecha'}. `,

  topics: {
    choose: (most) => `Como máximo ${most}.`,
    none: 'Todavía no hay ningún tema.',
    change: 'Cambiar',
    changeOf: (name) => `Cambiar el tema ${name}`,
    make: 'Un tema nuevo',
    name: 'Nombre',
    slug: 'Dirección corta',
    slugHelp:
      'Su dirección: /topics/… con a-z, 0-9 y guiones. Si lo deja vacío, se forma con el nombre. Queda para siempre.',
    slugStays: (slug) => `Su dirección sigue siendo /topics/${slug}.`,
    description: 'Descripción',
    add: 'Crearlo y añadirlo',
    save: 'Guardar el tema',
    leave: 'Dejarlo como está',
    slugInUse: 'Ya hay un tema con esta dirección. Elíjalo arriba.',
    tooMany: (most) => `Elija como máximo ${most} temas.`,
  },

  following: {
    surge: 'En una avalancha todos los lectores preguntan con menos frecuencia.',
    surgeLink: 'Declarar una avalancha en todo el sitio',
  },

  people: {
    help: (days) =>
      `Los colaboradores escriben aquí y entregan; no publican nada. Su lugar termina a los ${days} días, salvo que usted indique otro día.`,
    none: 'Nadie tiene lugar aquí.',
    until: (time) => `hasta ${time}`,
    expired: (time) => `caducó ${time}`,
    addedBy: (name) => `lo añadió ${name}`,
    noContributor: (role) => `ahora su función es ${role} y por ella ve esta cobertura`,
    search: 'Nombre o alias de un colaborador',
    find: 'Buscar',
    searchResults: 'Encontrados',
    notFound: 'Ningún colaborador tiene ese nombre o alias. Un dueño puede invitar a alguien.',
    invite: 'Invitar a alguien',
    day: 'Último día',
    dayWrong: 'Indique un día por venir o deje el campo vacío.',
    add: 'Añadir',
    extend: 'Fijar el último día',
    remove: 'Quitar',
    about: (action, name) => `${action}: ${name}`,
  },
};

export const newsroomSettings: typeof en.newsroomSettings = {
  preview: 'Vista previa',
  signedOut:
    'Su sesión ha terminado. Lo que ha escrito se conserva en este formulario: entre y vuelva a enviarlo.',
  parts: {
    words: 'Nombre y editor responsable',
    colours: 'Colores',
    about: 'Página «Quiénes somos»',
    readers: 'Lectores',
    frames: 'Otros sitios',
    desk: 'La mesa',
  },
  done: {
    words: 'El nombre y el editor responsable se han guardado.',
    colours: 'Los colores se han guardado.',
    about: 'La página «Quiénes somos» se ha guardado.',
    readers: 'Se ha guardado.',
    frames: 'Se ha guardado quién puede mostrar nuestra cobertura en un marco. Vale desde ahora.',
    desk: 'Se ha guardado.',
  },
  more: { export: 'Exportar todo', surge: 'Declarar una avalancha' },

  name: 'Nombre',
  tagline: 'Lema',
  taglineHelp: 'Unas palabras bajo el nombre.',
  language: 'Idioma del sitio',
  languageHelp: (names) =>
    `Sus propias palabras están escritas en ${names}; cualquier otra etiqueta, como fr o pt-BR, las deja en inglés.`,
  publisher: 'Editor responsable',
  publisherHelp: 'Quién responde de él, tal como debe figurar.',
  contact: 'Contacto',
  contactHelp:
    'Cómo ponerse en contacto con la redacción: dirección, teléfono, correo. Figura en «Quiénes somos».',

  accent: 'De día',
  accentDark: 'En la oscuridad',
  colourHelp: (house) => `El color de lo que está en directo, como ${house}. Vacío: el rojo de la casa.`,
  colourPicker: 'Se lee mejor un color más oscuro de día y uno más claro en la oscuridad.',
  noColour:
    'Indique un color con # y seis cifras de 0 a 9 y de a a f, como #0b5fa5. Vacío: el rojo de la casa.',
  tooFaint: (ratio, need) =>
    `Este color tiene un contraste de ${ratio} con el papel; un texto necesita ${need}.`,
  take: (colour) => `Usar ${colour}, el más próximo que se puede leer`,
  sampleLive: 'En directo',
  sampleLine: 'comprobado 14:02 · último 13:58',
  sampleContrast: (ratio) => `contraste ${ratio}`,

  about: 'Con sus propias palabras',
  aboutHelp: (most) =>
    `Quiénes son, para quién escriben, qué defienden. Figura encima de las normas. **negrita**, *cursiva*, [palabras](dirección), - lista, > cita. Como máximo ${most} caracteres.`,
  aboutNone: 'Todavía nada: la página tiene las normas, el editor responsable y el contacto.',

  follow: 'Los lectores se enteran de los cambios',
  followHelp: 'Una cobertura puede tener otro ajuste propio.',
  interval: 'Segundos entre dos comprobaciones',
  intervalHelp: (least, most) => `De ${least} a ${most}.`,
  intervalWrong: (least, most) => `Indique un número entero de ${least} a ${most}.`,

  quiet: 'Horas de silencio hasta que se avisa a la mesa',
  quietHelp: (most) =>
    `De una cobertura en directo en la que no se publica nada. De 1 a ${most}; 0 es nunca.`,
};

export const site: typeof en.site = {
  title: 'El sitio',
  notYours: 'Esto solo lo decide el dueño.',
  copies: 'Guardar copias en los dispositivos de los lectores',
  copiesHelp:
    'Las páginas que alguien ha leído se abren otra vez sin conexión, señaladas como guardadas y desde cuándo. Sin esto no se guarda nada, y un dispositivo desecha sus copias cuando vuelve a abrir una página.',
  save: 'Guardar',
  saved: 'Guardado.',
};

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

export const setup: typeof en.setup = {
  title: 'Ponga en marcha esta redacción',
  what: 'Esta redacción aún no tiene dueño. Quien tenga el código crea al primero, una sola vez.',
  code: 'Código',
  codeHelp: 'El servidor lo escribió al arrancar. Está junto a esta dirección.',
  haveAccount: '¿Ya tiene aquí una cuenta?',
  signInFirst: 'Entre primero',
  asYou: (name) => `Ha entrado como ${name}. El código le hace dueño.`,
  submit: 'Hacerme dueño',
  problems: {
    code: 'Este código no abre la redacción. Cópielo de lo último que escribió el servidor: cada arranque crea otro.',
    emailInUse: 'Esta dirección ya tiene una cuenta. Entre con ella, vuelva aquí y dé solo el código.',
    signInYourself: 'Ya es dueño. Entre con la dirección y la contraseña que dio.',
  },
};
