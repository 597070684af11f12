import { LIMITS } from '../../domain/limits.ts';
import type * as en from '../en/account.ts';

export const account: typeof en.account = {
  title: 'Su cuenta',
  link: 'Su cuenta',
  contents: 'En esta página',
  signedOut:
    'Su sesión ha terminado. Lo que escribió se conserva en este formulario: entre y vuelva a enviarlo.',

  done: {
    name: 'Su nombre se ha guardado.',
    email: 'Su dirección de correo ha cambiado.',
    mailed:
      'Dos correos están en camino. Siga el enlace de ambos: la dirección cambia cuando se siga el segundo.',
    password: 'Su contraseña ha cambiado. Se ha cerrado la sesión en los demás dispositivos.',
    password_mail: 'Un correo está en camino. Siga su enlace para elegir una contraseña.',
    device: 'Se ha cerrado la sesión en ese dispositivo.',
    followed: 'Guardado. Se le avisará como ha pedido.',
    unfollowed: 'Ya no lo sigue, y no llegarán más alertas de ello.',
    alert_device: 'A ese dispositivo ya no llegarán alertas.',
  },
  followAgain: 'Volver a seguirlo',

  name: {
    title: 'Nombre',
    display_name: 'Su nombre',
    nameHelp: 'Como figura bajo lo que escribe.',
    bio: 'Sobre usted',
    bioHelp: (most) => `Para su página, cuando se publique una firma suya. Hasta ${most} caracteres.`,
    page: 'Su página',
    save: 'Guardar',
  },

  email: {
    title: 'Dirección de correo',
    now: (email) => `Entra con ${email}.`,
    waiting: (email) =>
      `${email} espera confirmación: siga los enlaces de los correos enviados a las dos direcciones.`,
    field: 'Dirección nueva',
    help: 'Se envía un correo a la dirección antigua y otro a la nueva. Cambia cuando se sigan los enlaces de ambos.',
    save: 'Cambiar la dirección',
    same: 'Esta ya es su dirección.',
  },

  password: {
    title: 'Contraseña',
    current: 'Su contraseña actual',
    next: 'Contraseña nueva',
    save: 'Cambiar la contraseña',
    others: 'Se cierra la sesión en los demás dispositivos.',
    forgotten: '¿No tiene o la ha olvidado?',
    byMail: 'Elegir una contraseña por correo',
    wrong: 'Esa no es su contraseña. Inténtelo de nuevo o elija una nueva por correo.',
    same: 'Esta ya es su contraseña. Elija otra.',
  },

  follows: {
    title: 'Lo que sigo',
    none: 'Todavía nada. Cada cobertura y cada tema tienen en su página el modo de recibir alertas.',
    topic: 'Tema',
    change: 'Cambiar',
    changeOf: (name) => `Cambiar las alertas de ${name}`,
    stop: 'Dejar de seguir',
    stopOf: (name) => `Dejar las alertas de ${name}`,
    neither: 'Sin ninguno de los dos, se acaba.',
  },

  alerts: {
    title: 'Cómo me avisan',
    mail: (email) => `Los correos van a ${email}, y cada uno lleva un enlace que los termina.`,
    noMail: 'Esta redacción no envía alertas por correo.',
    devices: 'Los dispositivos de abajo muestran alertas.',
    noDevices: 'Ningún dispositivo muestra alertas todavía.',
    noPush: 'Esta redacción no envía alertas a dispositivos.',
    unnamed: 'Un dispositivo',
    since: 'desde',
    told: 'última alerta',
    neverTold: 'sin alertas todavía',
    remove: 'Quitar',
    removeOf: (device) => `No más alertas en ${device}`,
    add: 'Prepare el dispositivo que tiene en la mano: en la página de algo que sigue, como',
    addFirst: 'Un dispositivo se prepara cuando sigue algo en él.',
  },

  data: {
    title: 'Mis datos',
    say: 'Todo lo que se guarda aquí sobre usted, en un archivo: su cuenta y dónde tiene la sesión abierta, lo que sigue, sus dispositivos y las alertas que se les enviaron, sus avisos, y lo que escribió e hizo. Es JSON, que abre cualquier programa que muestre texto.',
    get: 'Descargar mis datos',
  },

  devices: {
    title: 'Sesión abierta en',
    here: 'este',
    device: (browser, system) => `${browser} en ${system}`,
    program: 'Otro programa',
    anything: 'algo',
    since: 'desde',
    last: 'visto por última vez',
    end: 'Cerrar la sesión',
    endOf: (device) => `Cerrar la sesión de ${device}`,
  },

  leave: {
    title: 'Salir',
    here: 'Cerrar la sesión aquí',
    everywhere: 'Cerrar la sesión en todas partes',
    delete: 'Borrar mi cuenta',
  },

  deletion: {
    title: 'Borrar su cuenta',
    goes: 'Lo que se va',
    going: [
      'Su dirección de correo, su contraseña y todas las sesiones: se cierran en todas partes al momento.',
      'Lo que dijo de sí y sus lugares en las coberturas.',
      'Lo que sigue, sus dispositivos para alertas y la constancia de lo que se le envió.',
      'Que los avisos que envió eran suyos.',
      'Su nombre, si nunca figuró bajo nada publicado.',
    ],
    stays: 'Lo que queda',
    staying: [
      'Lo que escribió: pertenece al registro de su cobertura.',
      'Su firma, con su nombre, bajo lo que se publicó con ella.',
      `Los propios avisos. Un nombre o un modo de localizarle que escribiera en uno se borra ${LIMITS.contact_days} días después de que se usara o se apartara.`,
      'Las copias de seguridad hechas antes, hasta que se desechen.',
    ],
    final: 'No se puede deshacer.',
    confirm: 'Borrar mi cuenta',
    keep: 'Conservarla',
  },

  over: {
    'signed-out': {
      title: 'Sesión cerrada en todas partes',
      say: 'Ningún dispositivo tiene ya abierta su cuenta, tampoco este.',
    },
    deleted: {
      title: 'Su cuenta se ha borrado',
      say: 'Se ha cerrado la sesión en todas partes y nadie puede volver a entrar en ella.',
    },
  },
};
