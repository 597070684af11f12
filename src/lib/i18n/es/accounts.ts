import { LIMITS } from '../../domain/limits.ts';
import type * as en from '../en/accounts.ts';
import { plural } from '../plural.ts';

export const accounts: typeof en.accounts = {
  signIn: 'Entrar',
  signUp: 'Crear una cuenta',
  signOut: 'Cerrar la sesión',
  signedInAs: (name) => `Ha entrado como ${name}.`,
  goOn: 'Continuar',
  fields: {
    name: 'Su nombre',
    nameHelp: 'Se muestra como su firma.',
    email: 'Dirección de correo',
    password: 'Contraseña',
    passwordHelp: (min) => `Al menos ${min} caracteres. Use tres o cuatro palabras al azar.`,
  },
  noAccount: '¿Aún no tiene cuenta?',
  haveAccount: '¿Ya tiene cuenta?',
  whatFor: 'Reciba alertas y siga sus avisos. Para leer no hace falta una cuenta.',
  titleOfProblem: (title) => `Error: ${title}`,
  byMail: {
    instead: 'Enviar un enlace o un código por correo',
    titleOf: {
      'sign-in': 'Entrar por correo',
      'sign-up': 'Confirme su dirección',
      recovery: 'Elija una contraseña nueva',
    },
    ask: {
      'sign-in': 'Escriba la dirección de su cuenta. Le enviaremos un enlace y un código para entrar.',
      'sign-up': 'Escriba la dirección de su cuenta nueva. Le enviaremos un enlace y un código.',
      recovery:
        'Escriba la dirección de su cuenta. Le enviaremos un enlace para elegir una contraseña nueva.',
    },
    submit: 'Enviar el correo',
    title: 'Revise su correo',
    sent: {
      'sign-in': (email) => `Si ${email} tiene una cuenta, le hemos enviado un correo.`,
      'sign-up': (email) =>
        `Hemos enviado un correo a ${email}. Confirme la dirección con su enlace o su código.`,
      recovery: (email) => `Si ${email} tiene una cuenta, le hemos enviado un correo.`,
    },
    holds: 'El enlace o el código sirve una vez, durante una hora.',
    sentAt: (time) => `Enviado a las ${time}.`,
    code: 'Código del correo',
    codeHelp: 'Solo cifras. Los espacios no cuentan.',
    press: {
      'sign-in': 'Entrar',
      'sign-up': 'Confirmar y entrar',
      recovery: 'Continuar',
    },
    nothing: '¿No llega nada en unos minutos? Mire en el correo no deseado o envíelo otra vez.',
    nothingForKnown: 'No lo enviamos a una dirección que ya tiene cuenta. En ese caso,',
    signInInstead: 'entre',
    again: 'Enviarlo otra vez',
    otherAddress: 'Usar otra dirección',
    back: {
      'sign-in': 'Entrar con contraseña',
      'sign-up': 'Crear una cuenta',
      recovery: 'Atrás',
    },
  },
  reset: {
    forgotten: '¿Ha olvidado su contraseña?',
    known: 'Si sabe su contraseña, cámbiela en',
    account: 'su cuenta',
    title: 'Elija una contraseña nueva',
    choose: 'Al guardarla se cierra la sesión en sus demás dispositivos.',
    forAccount: 'Cuenta',
    newPassword: 'Contraseña nueva',
    save: 'Guardar la contraseña',
  },
  link: {
    email: {
      title: 'Continuar a la redacción',
      say: 'El botón le deja entrar, en este navegador.',
      press: 'Entrar',
    },
    invite: {
      title: 'Tiene una invitación',
      say: 'El botón abre su cuenta. Después elige una contraseña para ella.',
      press: 'Aceptar la invitación',
    },
    recovery: {
      title: 'Elija una contraseña nueva',
      say: 'El botón le deja entrar, en este navegador. Después elige una contraseña nueva.',
      press: 'Continuar',
    },
    email_change: {
      title: 'Confirme su dirección',
      say: 'El botón confirma que el correo a esta dirección le llega.',
      press: 'Confirmar',
    },
    takesPlace: (name) => `Aquí ha entrado como ${name}. Eso termina si continúa.`,
    dead: {
      title: 'Este enlace ya no vale',
      say: 'Se ha usado, tiene más de una hora o un correo más reciente ocupó su lugar.',
      another: {
        email: 'Pida otro por correo.',
        recovery: 'Pida otro por correo.',
        invite: 'Pida por correo un enlace para elegir su contraseña o pregunte a quien le invitó.',
      },
      email_change: 'Si su dirección no ha cambiado, pida el cambio otra vez.',
      submit: 'Enviarme otro',
    },
    broken: {
      title: 'Este enlace no está entero',
      say: 'Le falta una parte. Cópielo entero del correo a la barra de direcciones.',
    },
    half: {
      title: 'Una dirección ha confirmado',
      say: 'La otra también tiene que confirmar antes de que cambie nada. Siga el enlace del correo que llegó allí.',
    },
    toAccount: 'Su cuenta',
  },
  problems: {
    credentials: 'Esta dirección y esta contraseña no corresponden. Compruebe las dos e inténtelo de nuevo.',
    unconfirmed: 'Esta dirección aún no está confirmada. Siga el enlace del correo que enviamos o pida otro.',
    code: 'Escriba el código como está en el correo: solo cifras.',
    codeWrong: 'Este código no es correcto o ya no vale. Compruébelo o pida otro.',
    noMail: 'Esta redacción no envía correo. Pida a su dueño un enlace para entrar.',
    mailFailed: 'Ahora mismo no se ha podido enviar el correo. Inténtelo dentro de unos minutos.',
    mailSoon: (seconds) =>
      `Se envió un correo hace menos de un minuto. Espere ${waiting(seconds)} y vuelva a enviarlo.`,
    tooManyMails: (seconds) =>
      `Por ahora no se envían más correos. Espere ${waiting(seconds)} e inténtelo de nuevo.`,
    samePassword: 'Es la contraseña que ya tiene. Elija otra.',
    unproved: 'Para elegir una contraseña sin la anterior, pida primero un enlace por correo.',
    email: 'Dé una dirección de correo, como nombre@example.com.',
    password: 'Dé su contraseña.',
    passwordShort: (min) => `Una contraseña tiene al menos ${min} caracteres. Alárguela.`,
    passwordLong: 'Una contraseña tiene como mucho 72 bytes. Acórtela.',
    passwordIsEmail: 'La contraseña no puede ser la dirección de correo. Elija otra.',
    passwordWeak: 'Esta contraseña es demasiado fácil de adivinar. Elija otra.',
    name: (max) => `Dé un nombre de 1 a ${max} caracteres.`,
    emailInUse: 'Esta dirección no sirve para una cuenta nueva. Si es suya, entre.',
    closed: 'Esta cuenta está cerrada. Pregunte al dueño de esta redacción.',
    unavailable: 'Ahora mismo no se puede llegar a la redacción. Inténtelo de nuevo en un momento.',
    tooMany: (seconds) => `Demasiados intentos. Espere ${waiting(seconds)} e inténtelo de nuevo.`,
  },
};

/** Formats a waiting time, rounded up. */
function waiting(seconds: number): string {
  const [count, one, other] =
    seconds <= 90
      ? ([Math.ceil(seconds), 'segundo', 'segundos'] as const)
      : ([Math.ceil(seconds / 60), 'minuto', 'minutos'] as const);
  return `${count} ${plural(count, one, other, 'es')}`;
}

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
    adopted: 'Añadidas. Estas alertas ya son de su cuenta.',
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
    none: 'Aún no sigue nada. Abra una cobertura o un tema y elija Alertas.',
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
    withoutAccount: (email) => `${email} recibe además alertas por correo que aún no están en su cuenta:`,
    adopt: 'Añadirlas a mi cuenta',
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
