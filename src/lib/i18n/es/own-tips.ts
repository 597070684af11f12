import type * as en from '../en/own-tips.ts';

export const ownTips: typeof en.ownTips = {
  title: 'Mis avisos',
  none: 'Todavía ninguno. Lo que envíe con la sesión abierta figura aquí, con lo que ha sido de ello.',
  send: 'Enviar un aviso',
  sent: 'Enviado',
  about: 'Sobre',
  whole: 'Entero',
  states: {
    new: 'Recibido, aún sin leer.',
    in_review: 'Alguien de la redacción lo está mirando.',
    used: 'Se ha usado en nuestra cobertura. Gracias.',
    declined: 'Leído y no usado. Gracias de todos modos.',
  },
  unseen: 'La redacción lo ha usado. Mientras esté publicado, esta lista dice dónde.',
  see: 'Leerlo allí',
  news: {
    new: (tip) => `Su aviso «${tip}» espera de nuevo a ser leído.`,
    in_review: (tip) => `Alguien está mirando ahora su aviso «${tip}».`,
    used: (tip) => `Su aviso «${tip}» se ha usado.`,
    declined: (tip) => `Su aviso «${tip}» se ha leído, y no se usa.`,
  },
  newsUnseen: (tip) => `La redacción ha usado su aviso «${tip}». Cuando se publique, esta lista dirá dónde.`,
  asOf: 'Como estaba a las',
  current: 'Los cambios aparecen aquí por sí solos. Mirado a las',
  behind: 'No se puede llegar a la redacción. Se vuelve a intentar solo. Como estaba a las',
  signedOut: 'Su sesión ha terminado. Como estaba a las',
  signIn: 'Volver a entrar',
  follow: 'Mantener esta lista al día',
  following: 'Un momento…',
};
