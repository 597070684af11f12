import type * as en from '../en/newsroom-settings.ts';

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
