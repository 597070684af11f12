import type * as en from '../en/export.ts';

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
