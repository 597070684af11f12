import type * as en from '../en/publishing.ts';

export const embed: typeof en.embed = {
  all: (name) => `Todas las actualizaciones en ${name}`,
  waiting: 'Las actualizaciones aparecerán aquí automáticamente.',
  noUpdates: 'Todavía no hay actualizaciones. La primera aparecerá aquí.',
  goTo: (name) => `Ir a ${name}`,

  title: 'Insertarla en otro sitio',
  help: 'Pegue esto en una página de otro sitio. Muestra las actualizaciones más recientes en directo y enlaza con la cobertura completa.',
  snippet: 'HTML para la otra página',
  script:
    'El script ajusta el marco a su contenido. Sin él, el marco mide 600 píxeles de alto y se desplaza.',
  address: 'A WordPress y a otros sitios compatibles con oEmbed les basta la dirección de esta cobertura:',
  look: 'Vista previa del marco',
  copy: 'Copiar',
  copied: 'Copiado.',
  notCopied: 'Este navegador no puede copiar. El texto está seleccionado: cópielo con el teclado.',
  notYet: 'Los lectores aún no ven esta cobertura. Hasta entonces, el marco indica que la página no existe.',
  gone: 'Esta cobertura se retiró. Los marcos lo muestran.',
  noSiteAllowed: 'Ahora mismo ningún sitio puede insertar nuestra cobertura.',
  only: 'Solo pueden mostrarla estos sitios:',
  change: 'Sitios que pueden insertar nuestra cobertura',
  askOwner: 'Los propietarios pueden cambiarlo.',

  who: 'Sitios que pueden insertar nuestra cobertura',
  whoHelp: 'Estos sitios pueden mostrar nuestras páginas en directo en un marco, con todas las correcciones.',
  ways: { anybody: 'Cualquier sitio', nobody: 'Ningún sitio', sites: 'Estos sitios' },
  sites: 'Sitios',
  sitesHelp: (most) =>
    `Para «Estos sitios», uno por línea, como mucho ${most}: example.com, o *.example.com para todos sus subdominios.`,
  noSites: 'Indique al menos un sitio o elija «Ningún sitio».',
  tooMany: (most) => `Indique como máximo ${most} sitios.`,
  noSite: (line) =>
    `«${line}» no es un sitio. Indique cada uno como example.com o *.example.com, uno por línea.`,
};

export const brief: typeof en.brief = {
  newest: 'Últimas actualizaciones',
  noUpdates: 'Todavía no hay actualizaciones.',
  corrected: (time) => `Corregida: ${time}`,
  clarified: (time) => `Aclarada: ${time}`,
  plain: 'Como texto sin formato',
};

export const feeds: typeof en.feeds = {
  label: 'Canales:',
  title: 'Canales',
  say: 'Todos los titulares, momentos clave, correcciones y retiradas de todas las coberturas:',
  each: 'Cada cobertura y cada tema tienen también sus propios canales, enlazados al pie de su página. Los de una cobertura contienen todas sus actualizaciones.',
};

export const takeaway: typeof en.takeaway = {
  title: 'Exportar todo',
  what: 'Un archivo (.tar.gz) con todas las coberturas, actualizaciones, versiones, personas, fotos, ajustes y el registro de actividad. Contiene archivos JSON Lines, las fotos en su mayor tamaño, los archivos de vídeo y audio y una descripción de los campos.',
  notBackup:
    'No es una copia de seguridad: no contiene contraseñas, sesiones ni claves, y no se puede restaurar.',
  tips: 'Incluir los avisos de los lectores, que son confidenciales',
  addresses: 'Incluir direcciones de correo e invitaciones',
  time: 'Una redacción grande tarda algunos minutos. Los cambios durante ese tiempo pueden faltar. El registro de actividad anota su exportación.',
  press: 'Exportar',
  back: 'Volver a los ajustes del sitio',
  notYours: 'Solo los propietarios pueden exportarlo todo.',
  readme: {
    head: (site, url, time) =>
      `${site} (${url})\nTodo lo que tenía la redacción, tal como se exportó el ${time}.`,
    how: 'Cada archivo que termina en .jsonl tiene un objeto JSON por línea, en UTF-8. Las horas son UTC. Un id nombra lo mismo en todos los archivos. Las fotos están en la carpeta photos, cada una con su id y en su mayor tamaño (WebP), y los archivos de vídeo y audio, en la carpeta media.',
    notBackup:
      'Esto no es una copia de seguridad: no contiene contraseñas, sesiones, claves ni resúmenes criptográficos (hash). Los cambios durante la exportación pueden estar en un archivo y faltar en otro.',
    part: (file, rows, fields) => `${file}: ${rows}. Campos: ${fields}.`,
    rows: (count, shown) => (count === 1 ? '1 línea' : `${shown} líneas`),
    photos: (count, shown) => (count === 1 ? '1 foto' : `${shown} fotos`),
    media: (count, shown) => (count === 1 ? '1 archivo' : `${shown} archivos`),
    missing: 'Estas fotos o archivos no se pudieron leer:',
    none: 'ninguno',
    parts: {
      site: 'Los ajustes de todo el sitio.',
      people: 'Todos los que tienen o tuvieron una cuenta.',
      topics: 'Temas.',
      coverages: 'Coberturas, con sus textos, ajustes y estado. `summary` y `body` son bloques.',
      coverage_slugs: 'Todas las direcciones que tuvo una cobertura.',
      coverage_topics: 'Qué coberturas tratan de qué temas.',
      coverage_members: 'Colaboradores de coberturas, cada uno hasta una fecha.',
      coverage_revisions: 'Todas las versiones de los textos de una cobertura.',
      updates:
        'Actualizaciones de todos los estados. `number` cuenta las publicadas; una retirada no tiene texto.',
      update_bylines: 'Firmas de las actualizaciones.',
      update_photos: 'Qué fotos muestra una actualización.',
      update_revisions:
        'Todas las versiones de una actualización, con la nota de una corrección. Una suprimida no tiene contenido.',
      coverage_changes: 'Los cambios que vieron los lectores, en orden.',
      photos: 'Fotos: texto alternativo, pie, crédito y tamaños.',
      media_files: 'Archivos de vídeo y audio: formato, tamaño y duración.',
      update_media: 'Qué archivos muestra una actualización.',
      audit_log: 'El registro de actividad.',
      tips: 'Avisos de los lectores.',
      invites: 'Invitaciones de las últimas semanas.',
      addresses: 'Direcciones de correo de las cuentas.',
    },
  },
};

export const folder: typeof en.folder = {
  copyOf: 'Copia de archivo. Página original:',

  readme: {
    head: ({ headline, site, url }) => `${headline}\n${site}: ${url}`,
    what: ({ time, updates, seq }) =>
      `Esta carpeta contiene todo lo que los lectores podían ver de esta cobertura tras su último cambio, el ${time}: ${updates === 1 ? '1 actualización' : `${updates} actualizaciones`}, cada una con sus correcciones y sus versiones anteriores (cambio ${seq}). De lo retirado, solo contiene el motivo.`,
    open: 'Para leerla, abra index.html en cualquier navegador. No hay que instalar nada ni hace falta conexión. Para publicarla, ponga la carpeta tal como está en cualquier servidor web, en cualquier dirección: los enlaces de dentro van de archivo a archivo. No contiene scripts. Los enlaces a otras páginas de la redacción llevan a su sitio.',
    files: {
      index: 'index.html: lo que se sabe, los momentos clave y las actualizaciones más recientes',
      pages: 'page-N.html: actualizaciones anteriores, diez por página, por debajo del número N',
      key: 'key-events.html: solo los momentos clave',
      timeline: 'timeline.html: la cobertura por días',
      updates: 'updates/N.html: cada actualización por separado, con su historial de cambios',
      feeds:
        'feed.atom, feed.json: todas las actualizaciones, para lectores de canales (Atom, JSON Feed 1.1)',
      photos: 'photos/: fotos por id y anchura en píxeles (WebP)',
      media: 'media/: archivos de vídeo y audio por id',
      data: 'data/: lo mismo para programas: coverage.json (stoppress-coverage, versión 1), updates.jsonl y changes.jsonl, un objeto JSON por línea, en UTF-8, horas en UTC',
    },
    again: 'Para llevarla a una redacción de Stoppress, con su historial:\n  npm run import -- FOLDER',
    newer:
      'Las correcciones y retiradas posteriores no están en esta copia. Pida una nueva antes de publicarla.',
    whose: (publisher) =>
      `Los textos y las fotos son de ${publisher} y de las personas que se nombran con ellos. Pida permiso antes de usarlos.`,
    contact: (contact) => `Contacto: ${contact}`,
  },
};
