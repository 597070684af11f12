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
    nameHelp: 'Como figuraría bajo lo que escriba.',
    email: 'Dirección de correo',
    password: 'Contraseña',
    passwordHelp: (min) =>
      `Al menos ${min} caracteres. Unas cuantas palabras se recuerdan mejor que un acertijo.`,
  },
  noAccount: '¿Aún no tiene cuenta?',
  haveAccount: '¿Ya tiene cuenta?',
  whatFor: 'La cuenta es para quienes escriben aquí. Para leer no hace falta.',
  titleOfProblem: (title) => `Error: ${title}`,
  byMail: {
    instead: 'Mejor envíenme un enlace o un código',
    titleOf: {
      'sign-in': 'Entrar por correo',
      'sign-up': 'Confirme su dirección',
      recovery: 'Elija una contraseña nueva',
      follow: 'Recibir alertas por correo',
    },
    ask: {
      'sign-in': 'Dé la dirección de su cuenta. Un correo le traerá un enlace y un código para entrar.',
      'sign-up': 'Dé la dirección con la que creó su cuenta. Un correo le traerá un enlace y un código.',
      recovery: 'Dé la dirección de su cuenta. Un correo le dejará entrar para elegir una contraseña nueva.',
      follow:
        'Dé la dirección a la que deben ir las alertas. Un correo le traerá un enlace y un código para empezarlas.',
    },
    submit: 'Enviar el correo',
    title: 'Mire su correo',
    sent: {
      'sign-in': (email) => `Si hay una cuenta de ${email}, un correo está en camino.`,
      'sign-up': (email) => `Queda un paso: un correo está en camino a ${email}, para comprobar que es suya.`,
      recovery: (email) => `Si hay una cuenta de ${email}, un correo está en camino.`,
      follow: (email) =>
        `Queda un paso: un correo está en camino a ${email}. Las alertas empiezan cuando use su enlace o su código.`,
    },
    holds: 'Trae un enlace y un código. Cualquiera de los dos vale una vez, durante una hora.',
    sentAt: (time) => `Enviado a las ${time}.`,
    code: 'Código del correo',
    codeHelp: 'Cifras. Los espacios entre ellas no molestan.',
    press: {
      'sign-in': 'Entrar',
      'sign-up': 'Confirmar y entrar',
      recovery: 'Continuar',
      follow: 'Confirmar y empezar',
    },
    nothing: '¿No llega nada al cabo de unos minutos? Mire en el correo no deseado o pida otro.',
    nothingForKnown: 'No llega a una dirección que ya tiene cuenta: en ese caso',
    signInInstead: 'entre',
    again: 'Enviarlo otra vez',
    otherAddress: 'Usar otra dirección',
    back: {
      'sign-in': 'Entrar con contraseña',
      'sign-up': 'Crear una cuenta',
      recovery: 'Atrás',
      follow: 'Atrás',
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
