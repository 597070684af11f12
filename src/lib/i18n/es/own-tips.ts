import type * as en from '../en/own-tips.ts';

export const ownTips: typeof en.ownTips = {
  title: 'Mis avisos',
  none: 'Todavía ninguno. Los avisos que envíe con la sesión iniciada aparecen aquí con su estado.',
  send: 'Enviar un aviso',
  sent: 'Enviado',
  about: 'Sobre',
  whole: 'Ver todo',
  photo: {
    alt: 'Su foto',
    uploading: 'La foto aún no ha llegado.',
    refused: 'La foto no se pudo usar: el archivo está dañado, es demasiado grande o no es una foto.',
  },
  states: {
    new: 'Recibido, aún sin leer.',
    in_review: 'Leído por la redacción.',
    used: 'Se ha usado en nuestra cobertura. Gracias.',
    declined: 'Leído por la redacción y no usado. Gracias.',
  },
  unseen: 'La redacción lo ha usado. Mientras esté publicado, aquí aparece un enlace.',
  see: 'Leer la actualización',
  news: {
    new: (tip) => `Su aviso «${tip}» ha vuelto a la cola.`,
    in_review: (tip) => `La redacción ha leído su aviso «${tip}».`,
    used: (tip) => `Su aviso «${tip}» se ha usado.`,
    declined: (tip) => `Su aviso «${tip}» se ha leído y no se ha usado.`,
  },
  newsUnseen: (tip) =>
    `La redacción ha usado su aviso «${tip}». Cuando se publique, aquí aparecerá un enlace.`,
  asOf: 'Estado a las',
  current: 'Los cambios aparecen aquí automáticamente. Comprobado a las',
  behind: 'La redacción no responde. Se vuelve a intentar. Estado a las',
  signedOut: 'Su sesión ha terminado. Estado a las',
  signIn: 'Iniciar sesión de nuevo',
  follow: 'Actualizar esta lista automáticamente',
  following: 'Cargando…',
};
