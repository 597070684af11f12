import type * as en from '../en/publishing.ts';

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

export const feeds: typeof en.feeds = {
  label: 'Canales:',
  title: 'Para seguirnos en un lector de canales',
  say: 'Todo lo que lleva titular, cada momento clave, cada corrección y cada retirada, de todas las coberturas:',
  each: 'Cada cobertura y cada tema tienen sus propios canales: los enlaces están al pie de su página. Los de una cobertura llevan todas sus entradas.',
};

export const takeaway: typeof en.takeaway = {
  title: 'Exportar todo',
  what: 'Un archivo (.tar.gz) con todas las coberturas, las actualizaciones y sus versiones, las personas, las fotos, el registro y los ajustes: un fichero de líneas JSON por cada clase de cosa, las fotos en su mayor tamaño y una descripción de los campos.',
  notBackup:
    'No es una copia de seguridad: no contiene contraseñas, sesiones ni claves, y no se puede restaurar por sí solo.',
  tips: 'Con los avisos de lectores, que se dieron en confianza',
  addresses: 'Con direcciones de correo e invitaciones',
  time: 'Una redacción grande tarda algunos minutos. Lo que se escriba entretanto puede estar o no. Queda anotado que usted lo exportó.',
  press: 'Exportar',
  back: 'El sitio',
  notYours: 'Solo los dueños pueden exportarlo todo.',
  readme: {
    head: (site, url, time) =>
      `${site} (${url})\nTodo lo que tenía la redacción, tal como se exportó el ${time}.`,
    how: 'Cada fichero que termina en .jsonl tiene una cosa por línea, escrita en JSON (UTF-8). Las horas son UTC. Un id nombra lo mismo en todos los ficheros. Las fotos están en la carpeta photos, cada una con su id y en su mayor tamaño (WebP).',
    notBackup:
      'Esto no es una copia de seguridad: no contiene contraseñas, sesiones, claves ni resúmenes. Lo que cambió mientras se hacía puede estar en un fichero y no en otro.',
    part: (file, rows, fields) => `${file}: ${rows}. Campos: ${fields}.`,
    rows: (count, shown) => (count === 1 ? '1 línea' : `${shown} líneas`),
    photos: (count, shown) => (count === 1 ? '1 foto' : `${shown} fotos`),
    missing: 'Estas fotos no se pudieron leer:',
    none: 'ninguno',
    parts: {
      site: 'Los ajustes de todo el sitio.',
      people: 'Todos los que tienen o tuvieron una cuenta.',
      topics: 'Temas.',
      coverages: 'Coberturas, con sus palabras, ajustes y estado. `summary` y `body` son bloques.',
      coverage_slugs: 'Todas las direcciones que tuvo una cobertura.',
      coverage_topics: 'Qué coberturas tratan de qué temas.',
      coverage_members: 'Colaboradores de coberturas, cada uno hasta una fecha.',
      coverage_revisions: 'Todas las versiones de las palabras de una cobertura.',
      updates:
        'Actualizaciones de todos los estados. `number` cuenta las publicadas; una retirada no tiene palabras.',
      update_bylines: 'De quién son las palabras.',
      update_photos: 'Qué fotos muestra una actualización.',
      update_revisions:
        'Todas las versiones de una actualización, con la nota de una corrección. Una suprimida no tiene contenido.',
      coverage_changes: 'Lo que los lectores vieron cambiar, en orden.',
      photos: 'Fotos: lo que muestran, pie, crédito y tamaños.',
      audit_log: 'Quién hizo qué y cuándo.',
      tips: 'Lo que contaron los lectores.',
      invites: 'Invitaciones de las últimas semanas.',
      addresses: 'Direcciones de correo de las cuentas.',
    },
  },
};

export const folder: typeof en.folder = {
  copyOf: 'Una copia para conservar. La página misma:',

  readme: {
    head: ({ headline, site, url }) => `${headline}\n${site}: ${url}`,
    what: ({ time, updates, seq }) =>
      `Esta carpeta contiene todo lo que los lectores podían ver de esta cobertura tras su último cambio, el ${time}: ${updates === 1 ? '1 actualización' : `${updates} actualizaciones`}, cada una con sus correcciones y sus versiones anteriores (cambio ${seq}). De lo retirado contiene el motivo, y ninguna palabra.`,
    open: 'Para leerla, abra index.html en cualquier navegador. No hay que instalar nada ni hace falta conexión. Para publicarla, ponga la carpeta tal como está en cualquier servidor web, en cualquier dirección: los enlaces de dentro van de fichero a fichero. No contiene ningún programa. Los enlaces a otras páginas de la redacción llevan a su sitio.',
    files: {
      index: 'index.html: lo que se sabe, los momentos clave y las actualizaciones más recientes',
      pages: 'page-N.html: actualizaciones anteriores, diez por página, por debajo del número N',
      key: 'key-events.html: solo los momentos clave',
      timeline: 'timeline.html: la cobertura por días',
      updates: 'updates/N.html: cada actualización por separado, con su historia',
      feeds:
        'feed.atom, feed.json: todas las actualizaciones, para lectores de canales (Atom, JSON Feed 1.1)',
      photos: 'photos/: fotos por id y anchura en píxeles (WebP)',
      data: 'data/: lo mismo para programas: coverage.json (stoppress-coverage, versión 1), updates.jsonl y changes.jsonl, una cosa por línea, en JSON y UTF-8, horas en UTC',
    },
    again: 'Para llevarla a una redacción de Stoppress, con su historia:\n  npm run import -- FOLDER',
    newer:
      'Lo que la redacción corrija o retire después sigue en esta copia como estaba: quien la muestre a otros debería pedir una nueva de vez en cuando.',
    whose: (publisher) =>
      `Las palabras y las imágenes son de ${publisher} y de quienes se nombran con ellas. Pida permiso antes de usarlas.`,
    contact: (contact) => `Contacto: ${contact}`,
  },
};
