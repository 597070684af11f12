import type * as en from '../en/tips.ts';
import { formatNumber } from '../plural.ts';

export const tips: typeof en.tips = {
  title: 'Envíenos un aviso',
  link: 'Envíenos un aviso',
  say: (name) =>
    `Cuente a ${name} lo que ve o sabe. La redacción lee su aviso. No se publica automáticamente.`,
  description: (name) => `Cuente a ${name} lo que ve o sabe.`,
  about: 'Sobre:',
  body: '¿Qué está pasando?',
  bodyHelp: 'Qué ha pasado, dónde, cuándo y cómo lo sabe.',
  name: 'Su nombre (opcional)',
  mayName: 'Pueden publicar mi nombre',
  mayNameHelp: 'Solo si la redacción usa su aviso.',
  contact: 'Correo o teléfono (opcional)',
  contactHelp: 'Solo lo ve la redacción. Nunca se publica.',
  photo: 'Foto (opcional)',
  photoChosen: 'La foto elegida',
  photoHelp: 'JPEG, PNG, WebP o AVIF, 20 MB como máximo.',
  photoShrinks: 'Se reduce en este dispositivo y se elimina su ubicación.',
  photoPlain: 'Se envía el archivo completo. Eliminamos la ubicación y los datos de la cámara.',
  send: 'Enviar el aviso',
  privacy: 'Cuánto tiempo lo guardamos',
  photoAgain: 'Elija la foto de nuevo.',
  website: 'Deje esto vacío',
  mine: 'Añadirlo a mis avisos',
  mineHelp: (name) => `Ha iniciado sesión como ${name}. Desmárquelo para enviar el aviso sin su cuenta.`,
  kept: 'Su texto se guarda en este dispositivo hasta que se envíe, un día como máximo.',
  isBack: 'Hemos recuperado el texto que escribió antes.',
  throwAway: 'Borrar',
  throwPhotoAway: 'Borrar la foto',

  problems: {
    empty: 'Escriba algo primero.',
    tooLong: (length, most) =>
      `Su texto tiene ${formatNumber(length, 'es')} caracteres. Acórtelo a ${formatNumber(most, 'es')}.`,
    photoTooLarge: 'Esta foto pesa más de 20 MB. Elija una más pequeña.',
  },
  refused: {
    invalid: 'Hay un dato no válido. Cámbielo y vuelva a enviarlo.',
    forbidden: 'No se ha podido enviar. Recargue la página y vuelva a enviarlo.',
    signed_out: 'No se ha podido enviar. Recargue la página y vuelva a enviarlo.',
    too_large: 'Es demasiado grande. Acórtelo o elija una foto más pequeña.',
    unsupported_media: 'Este tipo de archivo no sirve. Elija una foto JPEG, PNG, WebP o AVIF.',
    rate_limited: 'Su red ha enviado muchísimos avisos. Espere un rato y vuelva a enviarlo.',
    unavailable:
      'La redacción no está disponible ahora mismo. Su texto sigue aquí. Inténtelo de nuevo en un momento.',
    internal: 'Algo ha fallado por nuestra parte. Su texto sigue aquí. Inténtelo de nuevo en un momento.',
  },

  plain: {
    tooLarge: {
      title: 'La foto es demasiado grande',
      say: 'El aviso no se ha enviado porque la foto pesa más de 20 MB. Vuelva atrás en el navegador: su texto sigue allí. Elija una foto más pequeña, o ninguna, y envíelo otra vez.',
    },
    unavailable: {
      title: 'El aviso aún no se ha enviado',
      say: 'La redacción está recibiendo muchísimas fotos. Vuelva atrás en el navegador: su texto sigue allí. Envíelo otra vez en un minuto, o ahora sin la foto.',
    },
  },

  sending: 'Enviando…',
  stop: 'Detener y editar',
  waiting: 'Aún no se ha enviado. Deje abierta esta página: se envía automáticamente.',
  waitsHere:
    'Aún no se ha enviado. Está guardado en este dispositivo y se enviará cuando tenga conexión. Si cierra esta página, vuelva a abrirla antes de un día.',
  left: 'Un aviso de este dispositivo aún no ha llegado. Se envía automáticamente.',
  leftRefused: 'Se guarda aquí un día como máximo. Para cambiarlo, vacíe antes el formulario.',
  changeIt: 'Editarlo en el formulario',
  apart: 'Su sesión se cerró, así que no está entre sus avisos.',
  photoGoing: 'Tenemos su aviso. La foto se está enviando.',
  photoProgress: 'Envío de la foto',
  photoSent: (percent) => `${percent}\u00a0% enviado`,
  photoWaiting: 'Tenemos su aviso. La foto se enviará cuando tenga conexión: deje abierta esta página.',
  photoWaitsHere:
    'Tenemos su aviso. La foto está guardada en este dispositivo y se enviará cuando tenga conexión. Si cierra esta página, vuelva a abrirla antes de un día.',
  received: 'Tenemos su aviso. Gracias.',
  photoReceived: 'Tenemos su aviso y la foto. Gracias.',
  photoRefused:
    'Tenemos su aviso. La foto no se puede usar: el archivo está dañado, es demasiado grande o no es una foto.',
  photoLost: 'Tenemos su aviso. La foto no ha llegado.',
  keepReceipt: 'Para ver más tarde si se ha leído y usado, abra:',
  receiptLink: 'Su recibo',
  another: 'Enviar otro',
  receipts: {
    title: 'Avisos desde este dispositivo',
    of: (time) => `Enviado el ${time}`,
    forget: 'Eliminar de este dispositivo',
  },

  receipt: {
    title: 'Su aviso',
    keep: 'Guarde la dirección de esta página para seguir su aviso. Cualquiera que la tenga puede ver esta página.',
    received: 'Recibido',
    sent: 'Lo que envió',
    looked: 'Página comprobada a las',
    look: 'Comprobar de nuevo',
    follow: (kilobytes) => `Actualizar automáticamente (${kilobytes} KB)`,
    following: 'Cargando…',
    offline: 'No hay respuesta. Se vuelve a intentar.',
    read: 'Leer la actualización',
    toCome: 'La redacción está usando su aviso. Cuando se publique, esta página enlazará con él.',
    states: {
      new: 'Recibido, aún sin leer.',
      in_review: 'Leído por la redacción.',
      used: 'Se ha usado en nuestra cobertura. Gracias.',
      declined: 'Leído por la redacción y no usado. Gracias.',
      spam: 'Leído por la redacción y no usado. Gracias.',
    },
    none: {
      title: 'No encontramos este recibo',
      say: 'Puede que la dirección esté incompleta. Cópiela entera.',
    },
    another: 'Enviar otro aviso',
  },
};
