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
