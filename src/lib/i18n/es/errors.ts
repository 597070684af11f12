import type * as en from '../en/errors.ts';

export const errors: typeof en.errors = {
  invalid: 'Algo aquí no cumple una regla. Cámbielo y vuelva a enviarlo.',
  signed_out: 'La sesión está cerrada. Entre y vuelva a enviarlo. Su texto se conserva.',
  forbidden: 'Su función no permite esto. Pregunte a un editor. Su texto se conserva.',
  not_found: 'No existe o no está abierto para usted.',
  gone: 'Se ha retirado o ha caducado.',
  conflict: 'Alguien ha guardado entretanto una versión más reciente. Compare las dos y vuelva a guardar.',
  bad_state: 'Esto no se puede hacer en su estado actual. Vuelva a mirarlo.',
  too_large: 'Es demasiado grande. Acórtelo y vuelva a enviarlo.',
  unsupported_media: 'Este tipo de archivo no sirve. Envíe una imagen JPEG, PNG, WebP o AVIF.',
  rate_limited: 'Demasiados intentos. Espere un momento y vuelva a intentarlo.',
  unavailable:
    'No se puede contactar con la redacción. Su texto se conserva. Inténtelo de nuevo en un momento.',
  internal: 'Algo ha fallado por nuestra parte. Su texto se conserva. Inténtelo de nuevo en un momento.',
};

export const tooManyRequests: typeof en.tooManyRequests = {
  title: 'Demasiadas peticiones',
  say: (seconds) =>
    `Su red ha enviado demasiadas peticiones en poco tiempo. Espere ${seconds === 1 ? 'un segundo' : `${seconds} segundos`} y vuelva a cargar la página.`,
};

export const quoting: typeof en.quoting = {
  withId: (sentence, id) => `${sentence} Si persiste, cite ${id}.`,
};
