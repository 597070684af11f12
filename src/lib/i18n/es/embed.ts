import type * as en from '../en/embed.ts';

export const embed: typeof en.embed = {
  all: (name) => `Todas las actualizaciones en ${name}`,
  waiting: 'Las actualizaciones aparecerán aquí, la más reciente arriba.',
  noUpdates: 'Todavía no hay actualizaciones. La primera aparecerá aquí.',
  goTo: (name) => `Ir a ${name}`,

  title: 'Mostrarla en otro sitio',
  help: 'Ponga esto en la página de otro sitio. Muestra las actualizaciones más recientes, las sigue por sí solo y lleva aquí a la cobertura entera.',
  snippet: 'HTML para la otra página',
  script:
    'El guion hace el marco tan alto como su contenido. Sin él, el marco mide 600 píxeles de alto y se desplaza. No importa que esté más de una vez.',
  address: 'A los sitios que conocen oEmbed les basta la dirección de esta cobertura:',
  look: 'Ver solo el marco',
  copy: 'Copiar',
  copied: 'Copiado.',
  notCopied: 'Este navegador no copia por sí solo. El texto está seleccionado: cópielo con el teclado.',
  notYet:
    'Los lectores todavía no ven esta cobertura. Hasta entonces, el marco dice que esa página no existe.',
  gone: 'Esta cobertura se retiró, y los marcos lo dicen.',
  nobody: 'Ahora nadie puede mostrar nuestra cobertura en un marco: los navegadores se niegan.',
  only: 'Solo pueden mostrarla estos sitios:',
  change: 'Quién puede mostrar nuestra cobertura en un marco',
  askOwner: 'Un propietario puede cambiarlo.',

  who: 'Quién puede mostrar nuestra cobertura en un marco',
  whoHelp:
    'Las páginas de otros sitios pueden llevar entonces una página en directo nuestra, que sigue siendo nuestra: sus palabras, sus correcciones, sus enlaces.',
  ways: { anybody: 'Cualquiera', nobody: 'Nadie', sites: 'Estos sitios' },
  sites: 'Sitios',
  sitesHelp: (most) =>
    `Para «Estos sitios», uno por línea, como mucho ${most}: example.com, o *.example.com para todos los nombres que acaban así.`,
  noSites: 'Nombre al menos un sitio, o elija «Nadie».',
  tooMany: (most) => `Nombre como mucho ${most} sitios.`,
  noSite: (line) =>
    `«${line}» no es un sitio. Indique cada uno como example.com o *.example.com, uno por línea.`,
};
