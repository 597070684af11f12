import type * as en from '../en/setup.ts';

export const setup: typeof en.setup = {
  title: 'Ponga en marcha esta redacción',
  what: 'Esta redacción aún no tiene dueño. Quien tenga el código crea al primero, una sola vez.',
  code: 'Código',
  codeHelp: 'El servidor lo escribió al arrancar. Está junto a esta dirección.',
  haveAccount: '¿Ya tiene aquí una cuenta?',
  signInFirst: 'Entre primero',
  asYou: (name) => `Ha entrado como ${name}. El código le hace dueño.`,
  submit: 'Hacerme dueño',
  problems: {
    code: 'Este código no abre la redacción. Cópielo de lo último que escribió el servidor: cada arranque crea otro.',
    emailInUse: 'Esta dirección ya tiene una cuenta. Entre con ella, vuelva aquí y dé solo el código.',
    signInYourself: 'Ya es dueño. Entre con la dirección y la contraseña que dio.',
  },
};
