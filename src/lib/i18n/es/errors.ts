import type * as en from '../en/errors.ts';

export const errors: typeof en.errors = {
  invalid: 'Hay un dato no válido. Cámbielo y vuelva a enviarlo.',
  signed_out: 'Su sesión está cerrada. Iníciela y vuelva a enviarlo. Su texto se conserva.',
  forbidden: 'Su función no permite esto. Pregunte a un editor. Su texto se conserva.',
  not_found: 'No existe o usted no puede verlo.',
  gone: 'Se ha retirado o ha caducado.',
  conflict: 'No se ha guardado. Otra persona lo cambió antes. Compare las dos versiones y vuelva a guardar.',
  bad_state: 'Esto no es posible en su estado actual. Recargue la página para verlo.',
  too_large: 'Es demasiado grande. Acórtelo y vuelva a enviarlo.',
  unsupported_media: 'Este tipo de archivo no sirve. Envíe una foto JPEG, PNG, WebP o AVIF.',
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
  withId: (sentence, id) => `${sentence} Si vuelve a ocurrir, indique ${id}.`,
};
