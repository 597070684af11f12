import { LIMITS } from '../../domain/limits.ts';
import type { Role } from '../../domain/permissions.ts';
import type * as en from '../en/people.ts';

const MEANINGS: Record<Role, string> = {
  reader: 'recibe alertas y envía avisos',
  contributor: 'escribe borradores para determinadas coberturas',
  reporter: 'escribe en todas las coberturas, publica y corrige sus actualizaciones',
  moderator: 'lee todas las mesas y atiende los avisos',
  editor: 'publica y corrige todas las actualizaciones, dirige coberturas y atiende los avisos',
  owner: 'hace lo mismo que los editores y gestiona personas, funciones y el sitio',
};

export const people: typeof en.people = {
  meaning: (name, role) => `${name}: ${MEANINGS[role]}`,
  activateHelp: 'La persona puede volver a iniciar sesión, con la misma función.',
  title: 'Personas',
  search: 'Nombre, alias o dirección de correo',
  find: 'Buscar',
  all: 'Todas',
  invite: 'Invitar a una persona',
  log: 'Registro de actividad',
  none: 'Ninguna persona tiene ese nombre, alias o dirección.',
  more: 'Más',
  first: 'Primera página',
  notYours: 'Solo los propietarios ven esta página.',
  change: (name) => `Editar a ${name}`,
  changeThis: 'Editar',
  you: 'usted',

  role: 'Función',
  saveRole: 'Guardar la función',
  active: 'Activa',
  deactivated: 'Desactivada',
  deactivate: 'Desactivar',
  activate: 'Activar',
  deactivateHelp: 'Se cierra su sesión en todas partes y no puede iniciarla hasta que se active la cuenta.',
  unconfirmed: 'dirección sin confirmar',
  noAddress: 'sin dirección',
  lastSeen: 'última sesión',
  never: 'nunca ha iniciado sesión',

  one: {
    handle: 'Alias',
    since: 'Cuenta desde',
    deleted: 'Esta cuenta se borró. Lo que se publicó con ella sigue firmado.',
    public: 'Página pública',
    roleTitle: 'Función',
    standingTitle: 'Cuenta',
    placesTitle: 'Acceso a coberturas',
    noPlaces: 'Ninguno.',
    until: 'hasta',
    ended: 'terminó',
    invitesTitle: 'Invitaciones',
    log: 'Registro de actividad de esta persona',
    deactivates:
      'Se cierra su sesión en todas partes y no puede iniciarla. Sus actualizaciones se conservan.',
  },

  makeLink: 'Crear enlace para iniciar sesión',
  makeLinkHelp:
    'Para una persona que no puede iniciar sesión. El enlace le permite elegir una contraseña nueva. Déselo solo a ella.',

  done: {
    role: 'La función se ha guardado.',
    deactivated: 'La cuenta se ha desactivado y su sesión se ha cerrado en todas partes.',
    activated: 'La cuenta vuelve a estar activa.',
  },

  link: {
    title: (name) => `Un enlace para ${name}`,
    invited: 'La primera persona que lo abra elige la contraseña de la cuenta.',
    known: 'La primera persona que lo abra elige una contraseña nueva para la cuenta.',
    care: 'Envíelo solo a esa persona. Sirve una vez, durante una hora, y solo se muestra ahora. Un enlace nuevo lo sustituye.',
    label: 'Enlace',
    back: 'Volver a las personas',
  },

  problems: {
    role: 'Elija una función.',
    inactive: 'Esta cuenta está desactivada. Actívela primero y después cree el enlace.',
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
    what: 'La primera persona que lo abra elige la contraseña de la cuenta. Una persona con cuenta inicia sesión y acepta.',
    care: `Envíelo solo a esa persona. Sirve una vez, durante ${days(LIMITS.invite_days)}, y solo se muestra ahora.`,
    label: 'Enlace',
    back: 'Volver a las invitaciones',
  },

  problems: {
    sending: 'No se ha podido enviar la invitación. Su texto se conserva: inténtelo en un momento.',
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
    known: 'Ya hay una cuenta con esta dirección. Inicie sesión con ella y acepte.',
    signIn: 'Iniciar sesión',
    accept: 'Aceptar',
    signedInAs: (name) => `Ha iniciado sesión como ${name}.`,
    wrongPerson: (name) =>
      `Ha iniciado sesión como ${name}, que tiene otra dirección. Cierre la sesión y abra de nuevo el enlace.`,
    gone: {
      title: 'Esta invitación ya no es válida',
      accepted: 'Ya se ha aceptado. Si fue usted, inicie sesión.',
      revoked: 'Se ha anulado. Pida otra a quien le invitó.',
      expired: 'Ha caducado. Pida otra a quien le invitó.',
    },
    unknown: {
      title: 'No encontramos esta invitación',
      say: 'El enlace puede estar incompleto, o se envió otro después. Pida otra invitación.',
    },
  },
};
