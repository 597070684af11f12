import { LIMITS } from '../../domain/limits.ts';
import type * as en from '../en/accounts.ts';
import { plural } from '../plural.ts';

export const accounts: typeof en.accounts = {
  signIn: 'Iniciar sesión',
  signUp: 'Crear una cuenta',
  signOut: 'Cerrar sesión',
  signedInAs: (name) => `Ha iniciado sesión como ${name}.`,
  goOn: 'Continuar',
  fields: {
    name: 'Su nombre',
    nameHelp: 'Si escribe actualizaciones, se muestra como su firma.',
    email: 'Dirección de correo',
    password: 'Contraseña',
    passwordHelp: (min) => `Al menos ${min} caracteres. Use tres o cuatro palabras al azar.`,
  },
  noAccount: '¿Aún no tiene cuenta?',
  haveAccount: '¿Ya tiene cuenta?',
  whatFor: 'Reciba alertas y siga sus avisos. Para leer no hace falta una cuenta.',
  titleOfProblem: (title) => `Error: ${title}`,
  byMail: {
    instead: 'Enviar enlace o código por correo',
    titleOf: {
      'sign-in': 'Iniciar sesión por correo',
      'sign-up': 'Confirme su dirección',
      recovery: 'Elija una contraseña nueva',
    },
    ask: {
      'sign-in':
        'Escriba la dirección de su cuenta. Le enviaremos un enlace y un código para iniciar sesión.',
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
    holds: 'Use el enlace o el código, una sola vez y en el plazo de una hora.',
    sentAt: (time) => `Enviado a las ${time}.`,
    code: 'Código del correo',
    codeHelp: 'Solo cifras. Los espacios no cuentan.',
    press: {
      'sign-in': 'Iniciar sesión',
      'sign-up': 'Confirmar e iniciar sesión',
      recovery: 'Continuar',
    },
    nothing: '¿No llega nada en unos minutos? Mire en el correo no deseado o envíelo otra vez.',
    nothingForKnown: 'No lo enviamos a una dirección que ya tiene cuenta. En ese caso,',
    signInInstead: 'inicie sesión',
    again: 'Enviarlo otra vez',
    otherAddress: 'Usar otra dirección',
    back: {
      'sign-in': 'Iniciar sesión con contraseña',
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
      title: 'Iniciar sesión',
      say: 'Pulse el botón para iniciar sesión en este navegador.',
      press: 'Iniciar sesión',
    },
    invite: {
      title: 'Tiene una invitación',
      say: 'Pulse el botón para abrir su cuenta y después elija una contraseña.',
      press: 'Aceptar la invitación',
    },
    recovery: {
      title: 'Elija una contraseña nueva',
      say: 'Pulse el botón para iniciar sesión en este navegador y después elija una contraseña nueva.',
      press: 'Continuar',
    },
    email_change: {
      title: 'Confirme su dirección',
      say: 'Pulse el botón para confirmar que esta es su dirección.',
      press: 'Confirmar',
    },
    takesPlace: (name) => `Ha iniciado sesión como ${name}. Si continúa, se cierra esa sesión.`,
    dead: {
      title: 'Este enlace ya no vale',
      say: 'Ya se ha usado, tiene más de una hora o usted pidió otro más reciente.',
      another: {
        email: 'Pida otro por correo.',
        recovery: 'Pida otro por correo.',
        invite: 'Pida por correo un enlace para elegir su contraseña o pregunte a quien le invitó.',
      },
      email_change: 'Si su dirección no ha cambiado, pida el cambio otra vez.',
      submit: 'Enviarme otro',
    },
    broken: {
      title: 'Este enlace está incompleto',
      say: 'Le falta una parte. Cópielo entero del correo a la barra de direcciones.',
    },
    half: {
      title: 'Una dirección está confirmada',
      say: 'Ahora confirme la otra. Siga el enlace del correo enviado a esa dirección.',
    },
    toAccount: 'Su cuenta',
  },
  problems: {
    credentials: 'Dirección o contraseña incorrecta. Compruebe las dos e inténtelo de nuevo.',
    unconfirmed: 'Esta dirección aún no está confirmada. Siga el enlace del correo que enviamos o pida otro.',
    code: 'Escriba el código del correo: solo cifras.',
    codeWrong: 'Este código no es correcto o ha caducado. Compruébelo o pida otro.',
    noMail: 'Esta redacción no envía correo. Pida a los propietarios un enlace para iniciar sesión.',
    mailFailed: 'No se ha podido enviar el correo. Inténtelo de nuevo en unos minutos.',
    mailSoon: (seconds) =>
      `Se envió un correo hace menos de un minuto. Espere ${waiting(seconds)} y vuelva a enviarlo.`,
    tooManyMails: (seconds) =>
      `Por ahora no se envían más correos. Espere ${waiting(seconds)} e inténtelo de nuevo.`,
    samePassword: 'Es la contraseña que ya tiene. Elija otra.',
    unproved: 'Para elegir una contraseña sin la anterior, pida primero un enlace por correo.',
    email: 'Escriba una dirección de correo, como nombre@example.com.',
    password: 'Escriba su contraseña.',
    passwordShort: (min) => `Una contraseña tiene al menos ${min} caracteres. Alárguela.`,
    passwordLong: 'Esta contraseña es demasiado larga. Use como máximo 72 letras sin acento y cifras.',
    passwordIsEmail: 'La contraseña no puede ser la dirección de correo. Elija otra.',
    passwordWeak: 'Esta contraseña es demasiado fácil de adivinar. Elija otra.',
    name: (max) => `Escriba un nombre de 1 a ${max} caracteres.`,
    emailInUse: 'Esta dirección no sirve para una cuenta nueva. Si es suya, inicie sesión.',
    closed: 'Esta cuenta está cerrada. Pregunte a los propietarios de esta redacción.',
    unavailable: 'La redacción no está disponible ahora mismo. Inténtelo de nuevo en un momento.',
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
  signedOut: 'Su sesión ha terminado. Su texto sigue en este formulario: inicie sesión y vuelva a enviarlo.',

  done: {
    name: 'Su nombre se ha guardado.',
    email: 'Su dirección de correo ha cambiado.',
    mailed: 'Hemos enviado dos correos. Siga los enlaces de ambos para cambiar la dirección.',
    password: 'Su contraseña ha cambiado. Se ha cerrado la sesión en los demás dispositivos.',
    password_mail: 'Hemos enviado un correo. Siga su enlace para elegir una contraseña.',
    device: 'Se ha cerrado la sesión en ese dispositivo.',
    followed: 'Guardado. Recibirá estas alertas.',
    adopted: 'Añadidas. Estas alertas ya son de su cuenta.',
    unfollowed: 'Ya no recibe alertas de esto.',
    alert_device: 'Ese dispositivo ya no recibe alertas.',
    filing_sender: 'El chat está desvinculado. Desde ahora se rechazan sus mensajes.',
  },
  followAgain: 'Volver a seguirlo',

  name: {
    title: 'Nombre',
    display_name: 'Su nombre',
    nameHelp: 'Si escribe actualizaciones, se muestra como su firma.',
    bio: 'Sobre usted',
    bioHelp: (most) => `Se muestra en su página pública cuando tenga una firma. Hasta ${most} caracteres.`,
    page: 'Su página',
    save: 'Guardar',
  },

  email: {
    title: 'Dirección de correo',
    now: (email) => `Inicia sesión con ${email}.`,
    waiting: (email) =>
      `Para cambiar a ${email}, siga los enlaces de los correos enviados a las dos direcciones.`,
    field: 'Dirección nueva',
    help: 'Enviamos un correo a cada dirección. Cambia cuando siga los dos enlaces.',
    save: 'Cambiar la dirección',
    same: 'Esta ya es su dirección.',
  },

  password: {
    title: 'Contraseña',
    current: 'Contraseña actual',
    next: 'Contraseña nueva',
    save: 'Cambiar la contraseña',
    others: 'Se cierra la sesión en los demás dispositivos.',
    forgotten: '¿No tiene contraseña o la ha olvidado?',
    byMail: 'Elegir una contraseña por correo',
    wrong: 'Contraseña incorrecta. Inténtelo de nuevo o elija una nueva por correo.',
    same: 'Esta ya es su contraseña. Elija otra.',
  },

  follows: {
    title: 'Lo que sigo',
    none: 'Aún no sigue nada. Abra una cobertura o un tema y elija Recibir alertas.',
    topic: 'Tema',
    change: 'Cambiar',
    changeOf: (name) => `Cambiar las alertas de ${name}`,
    stop: 'Dejar de seguir',
    stopOf: (name) => `Dejar de seguir ${name}`,
    neither: 'Sin correo ni dispositivos no recibirá alertas.',
  },

  alerts: {
    title: 'Cómo recibo las alertas',
    mail: (email) => `Los correos van a ${email}. Cada uno lleva un enlace para dejar de recibirlos.`,
    noMail: 'Esta redacción no envía alertas por correo.',
    withoutAccount: (email) => `${email} recibe además alertas por correo que aún no están en su cuenta:`,
    adopt: 'Añadirlas a mi cuenta',
    devices: 'Los dispositivos de abajo muestran alertas.',
    noDevices: 'Ningún dispositivo muestra alertas todavía.',
    noPush: 'Esta redacción no envía alertas a dispositivos.',
    unnamed: 'Dispositivo sin nombre',
    since: 'Desde',
    told: 'última alerta',
    neverTold: 'sin alertas todavía',
    remove: 'Quitar',
    removeOf: (device) => `Quitar ${device}`,
    add: 'Para configurar este dispositivo, abra las alertas de algo que siga, como',
    addFirst: 'Para configurar un dispositivo, siga una cobertura en él.',
  },

  data: {
    title: 'Mis datos',
    say: 'Descargue todo lo que guardamos sobre usted en un archivo JSON: su cuenta y sus sesiones, lo que sigue, dispositivos, alertas, avisos, actualizaciones y actividad.',
    get: 'Descargar mis datos',
  },

  devices: {
    title: 'Sesiones iniciadas',
    here: 'este dispositivo',
    device: (browser, system) => `${browser} en ${system}`,
    program: 'Navegador desconocido',
    anything: 'sistema desconocido',
    since: 'Desde',
    last: 'última visita',
    end: 'Cerrar sesión',
    endOf: (device) => `Cerrar sesión: ${device}`,
  },

  leave: {
    title: 'Cerrar sesión o borrar la cuenta',
    here: 'Cerrar sesión aquí',
    everywhere: 'Cerrar sesión en todas partes',
    delete: 'Borrar mi cuenta',
  },

  deletion: {
    title: 'Borrar su cuenta',
    goes: 'Se borra',
    going: [
      'Su dirección de correo, su contraseña y todas las sesiones. Se cierran en todas partes.',
      'Su texto de presentación y su acceso a coberturas.',
      'Lo que sigue, sus dispositivos para alertas y el registro de las alertas enviadas.',
      'El vínculo entre usted y sus avisos.',
      'Su nombre, si no se publicó nada con él.',
    ],
    stays: 'Se conserva',
    staying: [
      'Sus actualizaciones, como parte de su cobertura.',
      'Su firma en las actualizaciones publicadas.',
      `Sus avisos. Los nombres y datos de contacto que contienen se borran ${LIMITS.contact_days} días después de que el aviso se use o se rechace.`,
      'Las copias de seguridad anteriores, hasta que se borren.',
    ],
    final: 'No se puede deshacer.',
    confirm: 'Borrar mi cuenta',
    keep: 'Conservar mi cuenta',
  },

  over: {
    'signed-out': {
      title: 'Sesión cerrada en todas partes',
      say: 'Su sesión se ha cerrado en todos los dispositivos, también en este.',
    },
    deleted: {
      title: 'Su cuenta se ha borrado',
      say: 'Se ha cerrado la sesión en todas partes. La cuenta ya no se puede usar.',
    },
  },
};
