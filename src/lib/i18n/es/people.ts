import type { Role } from '../../domain/permissions.ts';
import type * as en from '../en/people.ts';

const MEANINGS: Record<Role, string> = {
  reader: 'lee y envía avisos, como todos',
  contributor: 'escribe para las coberturas a las que le añade un editor',
  reporter: 'escribe en todas partes, publica y corrige lo suyo',
  moderator: 'lee todas las mesas y atiende los avisos, no escribe nada',
  editor: 'publica y corrige todo, lleva coberturas, atiende los avisos',
  owner: 'hace lo que un editor, y además personas, funciones y el sitio',
};

export const people: typeof en.people = {
  meaning: (name, role) => `${name}: ${MEANINGS[role]}`,
  activateHelp: 'Puede volver a entrar, con la función que tenía.',
  title: 'Personas',
  search: 'Nombre, alias o dirección de correo',
  find: 'Buscar',
  all: 'Todas',
  invite: 'Invitar a alguien',
  log: 'Lo que se hizo',
  none: 'Nadie aquí tiene ese nombre, alias o dirección.',
  more: 'Más',
  first: 'Desde el principio',
  notYours: 'Solo los dueños ven a las personas de esta redacción.',
  change: (name) => `Cambiar a ${name}`,
  changeThis: 'Cambiar',
  you: 'usted',

  role: 'Función',
  saveRole: 'Guardar la función',
  active: 'Activa',
  deactivated: 'Desactivada',
  deactivate: 'Desactivar',
  activate: 'Activar',
  deactivateHelp:
    'Cierra su sesión en todas partes al momento. Nadie puede entrar en la cuenta hasta que se active.',
  unconfirmed: 'dirección sin confirmar',
  noAddress: 'sin dirección',
  lastSeen: 'entró por última vez',
  never: 'no ha entrado nunca',

  one: {
    handle: 'Nombre en las direcciones',
    since: 'Cuenta desde',
    deleted: 'Esta cuenta se borró. Lo que se publicó con ella sigue firmado.',
    public: 'Lo que los lectores ven de esta persona',
    roleTitle: 'Función',
    standingTitle: 'Situación',
    placesTitle: 'Lugares en coberturas',
    noPlaces: 'Ninguno.',
    until: 'hasta',
    ended: 'terminó',
    invitesTitle: 'Invitaciones',
    log: 'Lo que hizo y lo que se hizo con su cuenta',
    deactivates: 'Se cierra su sesión en todas partes al momento y no puede entrar. Lo que escribió queda.',
  },

  makeLink: 'Hacer un enlace para copiar',
  makeLinkHelp: 'Para quien no puede entrar: le deja elegir una contraseña nueva. No se lo dé a nadie más.',

  done: {
    role: 'La función se ha guardado. Vale desde ahora.',
    deactivated: 'La cuenta se ha desactivado y su sesión se ha cerrado en todas partes.',
    activated: 'La cuenta vuelve a estar activa.',
  },

  link: {
    title: (name) => `Un enlace para ${name}`,
    invited: 'Quien lo abra primero elige la contraseña de la cuenta y entra.',
    known: 'Quien lo abra primero elige una contraseña nueva de la cuenta y entra.',
    care: 'Entréguelo donde solo esa persona pueda leerlo. Vale una vez, durante una hora, y solo se muestra aquí ahora. Uno nuevo inutiliza este.',
    label: 'Enlace',
    back: 'Volver a las personas',
  },

  problems: {
    role: 'Elija una función.',
    inactive: 'Esta cuenta está desactivada. Actívela primero y después haga el enlace.',
    gone: 'Esa cuenta ya no existe.',
  },
};
