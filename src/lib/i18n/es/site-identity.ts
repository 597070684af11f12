import type { siteIdentity as english } from '../en/site-identity.ts';

const EXPORT_ADVICE = 'Expórtelo como SVG simple, con formas y con los colores como atributos, o como PNG.';

export const siteIdentity: typeof english = {
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
