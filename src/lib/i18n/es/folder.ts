import type * as en from '../en/folder.ts';

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
