import type * as en from '../en/settings.ts';

export const settings: typeof en.settings = {
  title: 'Ajustes',
  of: (headline) => `Ajustes de ${headline}`,
  desk: 'Volver a la mesa',
  forbidden: 'Solo los editores pueden cambiar los ajustes de una cobertura.',
  signedOut: 'Su sesión ha terminado. Su texto sigue en este formulario: inicie sesión y vuelva a enviarlo.',
  signedOutLost: 'Su sesión ha terminado. Inicie sesión y vuelva a hacerlo.',
  save: 'Guardar',
  meanwhile: (value) => `Guardado por otra persona: ${value}`,
  nothing: 'nada',
  checked: 'marcado',
  unchecked: 'sin marcar',
  conflict:
    'Otra persona ha cambiado esto. Su valor aparece debajo del suyo. Vuelva a guardar para sustituirlo por el suyo.',

  parts: {
    words: 'Titular y entradilla',
    lead: 'Foto principal',
    address: 'Dirección',
    canonical: 'Dirección canónica',
    place: 'Hora e idioma',
    topics: 'Temas',
    topic: 'Tema',
    following: 'Cómo reciben los cambios los lectores',
    people: 'Colaboradores',
  },
  done: {
    words: 'Guardado.',
    lead: 'La foto principal se ha guardado.',
    address: 'La dirección se ha guardado. La antigua redirige a ella.',
    canonical: 'La dirección canónica se ha guardado.',
    place: 'La hora y el idioma se han guardado.',
    topics: 'Los temas se han guardado.',
    topic: 'El tema se ha guardado.',
    following: 'Guardado. Las páginas abiertas cambian de modo por sí solas.',
    added: 'Colaborador añadido.',
    extended: 'Último día guardado.',
    removed: 'Colaborador quitado.',
  },

  slugHelp: (address) =>
    `Ahora ${address}. Si la cambia, la dirección antigua lleva a los lectores a la nueva.`,

  canonical: {
    url: 'Dirección de esta cobertura en su otro sitio',
    help: 'Si esta cobertura también está en otro sitio suyo, los buscadores muestran aquella página en lugar de esta. Escriba una dirección que empiece por https:// o déjela vacía.',
  },

  lead: {
    automatic: 'Automática: la foto del momento clave más reciente',
    choose: 'Elija una de las fotos.',
    none: 'Todavía no hay fotos. Publique una actualización con foto y elíjala aquí.',
  },

  topics: {
    choose: (most) => `Como máximo ${most}.`,
    none: 'Aún no hay temas. Cree el primero.',
    change: 'Cambiar',
    changeOf: (name) => `Cambiar el tema ${name}`,
    make: 'Nuevo tema',
    name: 'Nombre',
    slug: 'Dirección corta',
    slugHelp:
      'El final de la dirección, después de /topics/. Use a-z, 0-9 y guiones. Déjela vacía para formarla con el nombre. No se puede cambiar después.',
    slugStays: (slug) => `Su dirección sigue siendo /topics/${slug}.`,
    description: 'Descripción',
    add: 'Crear y añadir',
    save: 'Guardar el tema',
    leave: 'Cancelar',
    slugInUse: 'Ya hay un tema con esta dirección corta. Elíjalo arriba.',
    tooMany: (most) => `Elija como máximo ${most} temas.`,
  },

  following: {
    surge: 'En el modo de alta demanda, las páginas abiertas comprueban los cambios una vez por minuto.',
    surgeLink: 'Cambiar el modo de alta demanda del sitio',
  },

  people: {
    help: (days) =>
      `Los colaboradores escriben borradores aquí y los entregan. Su acceso termina a los ${days} días, salvo que elija otro día.`,
    none: 'Aún no hay colaboradores.',
    until: (time) => `hasta el ${time}`,
    expired: (time) => `caducó el ${time}`,
    addedBy: (name) => `lo añadió ${name}`,
    noContributor: (role) => `ahora es ${role}, con acceso a todas las coberturas`,
    search: 'Nombre o alias de un colaborador',
    find: 'Buscar',
    searchResults: 'Resultados',
    notFound: 'Ningún colaborador tiene ese nombre o alias. Los propietarios pueden invitar a alguien.',
    invite: 'Invitar a una persona',
    day: 'Último día',
    dayWrong: 'Indique un día futuro o deje el campo vacío.',
    add: 'Añadir',
    extend: 'Fijar el último día',
    remove: 'Quitar',
    about: (action, name) => `${action}: ${name}`,
  },
};

export const newsroomSettings: typeof en.newsroomSettings = {
  preview: 'Vista previa',
  signedOut:
    'Su sesión ha terminado. Lo que ha escrito se conserva en este formulario: inicie sesión y vuelva a enviarlo.',
  sections: {
    identity: 'Identidad',
    masthead: 'Logotipo, menú y tipografía',
    place: 'Hora e idioma',
    look: 'Aspecto',
    about: 'Quiénes somos',
    embeds: 'Inserción',
    mail: 'Correo',
    wordpress: 'WordPress',
    filing: 'Envío por chat',
    data: 'Datos',
    advanced: 'Avanzado',
  },
  done: {
    identity: 'Guardado. Las páginas muestran el nuevo nombre en unos segundos.',
    place: 'La zona horaria y el idioma se han guardado.',
    look: 'Los colores se han guardado.',
    about: 'La página «Quiénes somos» se ha guardado.',
    embeds: 'Guardado. El ajuste vale desde ahora.',
    advanced: 'Guardado.',
  },
  more: { about: 'Ver la página «Quiénes somos»' },

  name: 'Nombre',
  tagline: 'Lema',
  taglineHelp: 'Unas palabras bajo el nombre en la portada.',
  timeZone: 'Zona horaria',
  timeZoneHelp: 'Las páginas muestran las horas en esta zona. Las nuevas coberturas empiezan con ella.',
  language: 'Idioma',
  languageHelp: (names) =>
    `Los menús y botones están disponibles en ${names}. Con cualquier otro idioma aparecen en inglés.`,
  publisher: 'Nombre legal del editor',
  publisherHelp: 'La persona o empresa responsable del sitio.',
  contact: 'Contacto',
  contactHelp: 'Dirección, teléfono o correo. Se muestra en «Quiénes somos».',

  accent: 'Color del modo claro',
  accentDark: 'Color del modo oscuro',
  colourHelp: (standard) =>
    `Señala lo que está en directo y lo urgente. Déjelo vacío para usar el color predeterminado, ${standard}.`,
  colourPicker: 'En el modo claro se leen mejor los colores oscuros; en el oscuro, los claros.',
  pickColour: (label) => `${label}: elegir`,
  noColour: 'Escriba un color con # y seis cifras de 0 a 9 o de a a f, como #0b5fa5, o déjelo vacío.',
  tooFaint: (ratio, need) =>
    `Este color tiene un contraste de ${ratio} con el fondo. Un texto necesita al menos ${need}.`,
  take: (colour) => `usar ${colour}, que se lee bien`,
  sampleLive: 'En directo',
  sampleLine: 'Actualizada 13:58',
  sampleContrast: (ratio) => `contraste ${ratio}`,
  sampleFaint: (need) => `insuficiente: un texto necesita ${need}`,

  about: 'Sobre la redacción',
  aboutHelp: (most) =>
    `Aparece al principio de «Quiénes somos». **negrita**, *cursiva*, [texto](dirección), - lista, > cita. Como máximo ${most} caracteres.`,
  aboutNone: 'Aún no hay texto. La página muestra las normas editoriales, el editor y el contacto.',

  mail: {
    on: 'El correo está configurado.',
    onHelp: 'Las alertas, las invitaciones y los enlaces para iniciar sesión se envían por correo.',
    off: 'El correo no está configurado.',
    offHelp:
      'Los lectores no pueden recibir alertas por correo, y las invitaciones son enlaces que usted entrega. Para enviar correo, configure SMTP_URL en el servidor y reinícielo.',
    invite: 'Invitar a una persona',
  },
  backupsTitle: 'Copias de seguridad',
  backups:
    'El servidor hace una copia de seguridad cada día (STOPPRESS_BACKUP_AT). Para hacer una ahora, ejecute npm run backup. Supabase hace las copias de la base de datos de sus proyectos.',

  follow: 'Cómo reciben los cambios las páginas abiertas',
  followHelp:
    'Automático: al instante, o con comprobaciones cuando hay muchos lectores. Los ajustes de una cobertura pueden cambiarlo.',
  interval: 'Segundos entre comprobaciones',
  intervalHelp: (least, most) => `De ${least} a ${most}.`,
  intervalWrong: (least, most) => `Escriba un número entero de ${least} a ${most}.`,

  quiet: 'Recordar después de (horas sin actualizaciones)',
  quietHelp: (most) =>
    `La mesa de una cobertura en directo recibe un recordatorio pasado ese tiempo. De 1 a ${most}; 0 lo desactiva.`,
};

export const site: typeof en.site = {
  title: 'Ajustes del sitio',
  link: 'Sitio',
  notYours: 'Solo los propietarios pueden cambiar los ajustes del sitio.',
  copies: 'Guardar páginas en los dispositivos de los lectores',
  copiesHelp:
    'Las páginas que un lector ha abierto se pueden leer otra vez sin conexión. Si lo desactiva, los dispositivos borran las páginas guardadas en la siguiente visita.',
  save: 'Guardar',
};

export const surge: typeof en.surge = {
  title: 'Modo de alta demanda',
  help: 'En el modo de alta demanda, las páginas abiertas comprueban los cambios una vez por minuto en lugar de recibirlos al instante. Así el servidor atiende a muchos más lectores.',
  modes: {
    auto: 'Automático: activo mientras el servidor está saturado',
    on: 'Activo hasta que se cambie',
    off: 'Desactivado, aunque el servidor esté saturado',
  },
  set: 'Guardar',
  change: 'Cambiar',
  now: {
    on: [
      'Las páginas comprueban los cambios una vez por minuto desde',
      'porque un editor activó el modo de alta demanda.',
    ],
    auto: [
      'Las páginas comprueban los cambios una vez por minuto desde',
      'porque el servidor está saturado.',
    ],
    usual: 'El modo de alta demanda no está activo.',
  },
  choose: 'Elija una de las tres opciones.',
};

export const setup: typeof en.setup = {
  title: 'Configurar esta redacción',
  what: 'Esta redacción será suya. Podrá cambiarlo todo más tarde.',
  newsroom: 'Su redacción',
  you: 'Su cuenta',
  code: 'Código de configuración',
  codeHelp: 'El servidor lo mostró al arrancar.',
  siteName: 'Nombre de la redacción',
  haveAccount: '¿Ya tiene una cuenta aquí?',
  signInFirst: 'Inicie sesión primero',
  asYou: (name) => `Ha iniciado sesión como ${name}. Esta redacción será suya.`,
  submit: 'Configurar la redacción',
  problems: {
    code: 'Este código no es válido. Copie el último que mostró el servidor: cada arranque crea uno nuevo.',
    siteName: 'Escriba el nombre de la redacción.',
    emailInUse: 'Esta dirección ya tiene una cuenta. Inicie sesión con ella y vuelva a abrir esta página.',
    signInYourself: 'Esta redacción ya es suya. Inicie sesión con su dirección y su contraseña.',
  },
  checklist: {
    title: 'Primeros pasos',
    progress: (done, all) => `${done} de ${all} hechos`,
    steps: {
      name: 'Dar nombre a la redacción',
      place: 'Elegir zona horaria e idioma',
      look: 'Elegir los colores',
      invite: 'Invitar a una persona',
      coverage: 'Crear la primera cobertura',
    },
    isDone: 'hecho',
    dismiss: 'Ocultar esta lista',
  },
};

const EXPORT_ADVICE = 'Expórtelo como SVG simple, con formas y con los colores como atributos, o como PNG.';

export const siteIdentity: typeof en.siteIdentity = {
  sponsoredBy: 'Patrocinador:',
  menuOf: (site) => `Menú de ${site}`,

  help: 'Los lectores ven esto en todas las páginas. Pulse «Vista previa» para verlo antes de guardar.',
  saved: 'Guardado. Las páginas lo muestran en unos segundos.',
  view: 'Ver la portada',
  images: 'Logotipo',
  imageHelp:
    'Un SVG de 64 KB como máximo, o un PNG de 300 KB como máximo. Sustituye al nombre en lo alto de las páginas, con una altura máxima de 32 píxeles.',
  imageFields: {
    logo: 'Logotipo',
    logo_dark: 'Logotipo del modo oscuro',
    icon: 'Icono',
  },
  imageFieldHelp: {
    logo: 'El icono del sitio también se hace con él.',
    logo_dark: 'Opcional. Sin él, el modo oscuro muestra el logotipo sobre un fondo claro.',
    icon: 'Opcional: una imagen cuadrada para las pestañas del navegador y los móviles.',
  },
  remove: 'Quitar esta imagen',
  menu: 'Menú',
  menuHelp: (most) => `Hasta ${most} enlaces en una fila bajo el nombre. Las filas vacías no se muestran.`,
  menuLabel: (row) => `Enlace ${row}: texto`,
  menuUrl: (row) => `Enlace ${row}: dirección`,
  links: 'Enlaces y patrocinador',
  linkFields: {
    newspaper_link: {
      label: 'Enlace al periódico: texto',
      url: 'Enlace al periódico: dirección',
      help: 'El primer enlace de la fila.',
    },
    support_link: {
      label: 'Enlace de apoyo: texto',
      url: 'Enlace de apoyo: dirección',
      help: 'Donde los lectores pueden apoyarles. El último enlace de la fila, en negrita.',
    },
    sponsor: {
      label: 'Patrocinador',
      url: 'Dirección del patrocinador',
      help: 'Opcional. El nombre aparece al pie de las páginas, tras la palabra «Patrocinador».',
    },
  },
  fonts: 'Tipografía',
  headlineFont: 'Titulares',
  textFont: 'Textos',
  fontHelp: 'Tipos de letra que los dispositivos ya tienen, para que las páginas carguen igual de rápido.',
  fontNames: {
    serif: 'Con remates',
    old_style: 'Con remates, clásica',
    sans: 'Sin remates',
    humanist: 'Sin remates, humanista',
  },
  previewTitle: 'Vista previa: sin guardar',
  previews: { phone: 'Móvil', dark: 'Móvil en modo oscuro', desk: 'Ordenador' },
  sampleHeadline: 'El río crece junto al puente viejo',
  sampleText:
    'El ayuntamiento cierra la calle del Muelle. La escuela está abierta para quien deba dejar su casa.',

  imageProblems: {
    image_format: () => 'Elija un archivo SVG o PNG.',
    png_unreadable: () =>
      'El PNG no se puede leer o es demasiado grande para un logotipo. Guárdelo de nuevo con menos píxeles.',
    svg_unreadable: () => 'El archivo está dañado o no es un SVG. Expórtelo de nuevo.',
    svg_too_large: () =>
      'El archivo es demasiado grande. Un SVG puede tener 64 KB, y 32 KB una vez limpio; un PNG, 300 KB.',
    svg_too_complex: () => `El dibujo tiene más de 1000 partes o demasiados niveles. ${EXPORT_ADVICE}`,
    svg_without_size: () =>
      'El dibujo no tiene tamaño o un lado es más de 12 veces mayor que el otro. Fije su tamaño y expórtelo de nuevo.',
    svg_active: (name) => `El archivo contiene «${name}», que no se admite en un logotipo. ${EXPORT_ADVICE}`,
    svg_element: (name) =>
      `El archivo contiene «${name}», que no es una forma. Convierta los textos y efectos en formas. ${EXPORT_ADVICE}`,
    svg_reference: (name) => `El archivo remite a otro lugar en «${name}». ${EXPORT_ADVICE}`,
  },
};
