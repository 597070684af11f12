import { LIMITS } from '../../domain/limits.ts';
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

const days = (count: number) => (count === 1 ? '1 día' : `${count} días`);

export const invites: typeof en.invites = {
  title: 'Invitaciones',
  open: (count) => (count === 1 ? '1 invitación abierta' : `${count} invitaciones abiertas`),
  all: 'Todas las invitaciones',
  none: 'Aún no hay invitaciones. Invite a una persona.',
  kept: `Las invitaciones se muestran hasta ${days(LIMITS.invite_kept_days)} después de terminar.`,
  more: 'Anteriores',
  states: { pending: 'abierta', accepted: 'aceptada', revoked: 'anulada', expired: 'caducada' },
  as: (role) => `como ${role}`,
  forCoverage: (headline, count) => `para «${headline}», ${days(count)} desde que acepte`,
  by: (name) => `de ${name}`,
  until: 'vale hasta',
  ended: 'terminó',
  deleted: 'Cuenta borrada',
  change: (name) => `Cambiar la invitación de ${name}`,
  changeThis: 'Cambiar',
  mailAgain: 'Enviarla otra vez por correo',
  linkAgain: 'Crear otro enlace',
  againHelp: `El enlace anterior deja de servir. El nuevo vale ${days(LIMITS.invite_days)}.`,
  revoke: 'Anular',
  revokeHelp: 'El enlace deja de funcionar.',
  done: {
    mailed: 'Invitación enviada.',
    revoked: 'Invitación anulada. Su enlace ya no funciona.',
  },

  form: {
    title: 'Invitar a una persona',
    what: `La persona abre un enlace y elige una contraseña. El enlace sirve una vez, durante ${days(LIMITS.invite_days)}.`,
    name: 'Nombre',
    nameHelp: 'Se muestra como su firma. Puede cambiarlo.',
    email: 'Dirección de correo',
    role: 'Función',
    contributor: 'Para un colaborador',
    coverage: 'Cobertura',
    coverageHelp: 'Un colaborador escribe solo para esta cobertura.',
    choose: 'Elija una cobertura',
    days: 'Días',
    daysHelp: 'Desde el día en que acepta.',
    byMail: 'Enviar por correo',
    byLink: 'Crear enlace de invitación',
    noMail: 'El correo no está configurado: recibirá un enlace para entregarlo usted.',
    look: 'Buscar la cuenta',
  },

  link: {
    title: (name) => `Una invitación para ${name}`,
    notMailed: {
      off: 'El correo no está configurado. Entregue usted el enlace.',
      failed: 'No se ha podido enviar el correo. Entregue usted el enlace o envíelo más tarde.',
    },
    what: 'Quien lo abra primero elige la contraseña de la cuenta y está dentro. Quien ya tiene cuenta entra y acepta.',
    care: `Envíelo solo a esa persona. Sirve una vez, durante ${days(LIMITS.invite_days)}, y solo se muestra ahora.`,
    label: 'Enlace',
    back: 'Volver a las invitaciones',
  },

  problems: {
    sending: 'Ahora no se puede invitar a nadie. Lo que ha escrito se conserva: inténtelo en un momento.',
    days: `Indique un número entero de días de ${LIMITS.contributor_days_min} a ${LIMITS.contributor_days_max}.`,
  },

  opened: {
    title: (site) => `Le invitan a ${site}`,
    who: (by, role) => `${by} le invita a trabajar aquí como ${role}.`,
    coverage: (headline, count) =>
      headline
        ? `Escribiría para «${headline}», durante ${days(count)}.`
        : `Escribiría para una cobertura que aún no se ha publicado, durante ${days(count)}.`,
    until: 'Esta invitación vale hasta',
    yours: (email) => `Es para ${email}.`,
    choose: 'Elija la contraseña de su cuenta.',
    join: 'Crear la cuenta y aceptar',
    known: 'Ya hay una cuenta con esta dirección. Entre con ella y acepte.',
    signIn: 'Entrar',
    accept: 'Aceptar',
    signedInAs: (name) => `Ha entrado como ${name}.`,
    wrongPerson: (name) =>
      `Ha entrado como ${name}, cuya dirección es otra. Cierre la sesión y abra de nuevo el enlace.`,
    gone: {
      title: 'Esta invitación ya no sirve',
      accepted: 'Ya se ha aceptado. Si fue usted, entre.',
      revoked: 'Se ha anulado. Pida otra a quien le invitó.',
      expired: 'Ha caducado. Pida otra a quien le invitó.',
    },
    unknown: {
      title: 'No existe esa invitación',
      say: 'Quizá falte una parte del enlace, o se haya enviado otro después. Pida otra a quien le invitó.',
    },
  },
};
