import type * as en from '../en/tips.ts';
import { formatNumber } from '../plural.ts';

export const tips: typeof en.tips = {
  title: 'Envíenos un aviso',
  link: 'Envíenos un aviso',
  say: (name) => `Cuente a ${name} lo que ve o sabe. Lo lee la redacción y no se publica tal como llega.`,
  description: (name) => `Cuente a ${name} lo que ve o sabe.`,
  about: 'Sobre:',
  body: '¿Qué está pasando?',
  bodyHelp: 'Qué ha pasado, dónde, cuándo y cómo lo sabe.',
  name: 'Su nombre (si quiere)',
  mayName: 'Pueden publicar mi nombre',
  mayNameHelp: 'Con lo que digo, si lo usan.',
  contact: 'Cómo localizarle (si quiere)',
  contactHelp: 'Correo o teléfono. Solo lo ve la redacción; nunca se publica.',
  photo: 'Una foto (si la tiene)',
  photoHelp: 'JPEG, PNG, WebP o AVIF, 20 MB como máximo.',
  photoShrinks: 'Aquí se reduce antes de enviarla, sin el lugar donde se tomó.',
  photoPlain:
    'Sin JavaScript se envía el archivo entero. Guardamos solo la imagen, sin el lugar donde se tomó ni el dispositivo.',
  send: 'Enviar el aviso',
  privacy: 'Cuánto tiempo se guarda',
  photoAgain: 'Elija la foto de nuevo.',
  website: 'Deje esto vacío',
  mine: 'Mostrarlo entre mis avisos',
  mineHelp: (name) => `Ha entrado como ${name}. Sin esto, el aviso no se une a ninguna cuenta.`,
  kept: 'Lo que escribe se guarda en este dispositivo hasta que lo tengamos, un día como máximo.',
  isBack: 'Esto lo escribió aquí antes.',
  throwAway: 'Desecharlo',
  throwPhotoAway: 'Desechar la foto',

  problems: {
    empty: 'Escriba algo primero.',
    tooLong: (length, most) =>
      `Tiene ${formatNumber(length, 'es')} caracteres; el límite es ${formatNumber(most, 'es')}. Acórtelo.`,
    photoTooLarge: 'Esta foto pesa más de 20 MB. Elija una más pequeña.',
  },
  refused: {
    invalid: 'Algo de esto no se puede aceptar. Cámbielo y vuelva a enviarlo.',
    forbidden: 'Ahora mismo no se puede aceptar. Cargue la página de nuevo y vuelva a enviarlo.',
    signed_out: 'Ahora mismo no se puede aceptar. Cargue la página de nuevo y vuelva a enviarlo.',
    too_large: 'Es demasiado grande. Acórtelo o elija una foto más pequeña.',
    unsupported_media: 'Este tipo de archivo no sirve. Elija una imagen JPEG, PNG, WebP o AVIF.',
    rate_limited: 'Llegan muchísimos avisos desde donde está. Espere un rato y vuelva a enviarlo.',
    unavailable:
      'No se puede llegar a la redacción. Lo que escribió sigue aquí. Inténtelo de nuevo en un momento.',
    internal:
      'Algo ha fallado por nuestra parte. Lo que escribió sigue aquí. Inténtelo de nuevo en un momento.',
  },

  plain: {
    tooLarge: {
      title: 'La foto es demasiado grande',
      say: 'El aviso no se ha enviado: con su foto pesa más de 20 MB. Vuelva atrás en el navegador: lo que escribió sigue allí. Elija una foto más pequeña, o ninguna, y envíelo otra vez.',
    },
    unavailable: {
      title: 'El aviso aún no se ha enviado',
      say: 'Llegan muchísimas fotos a la vez. Vuelva atrás en el navegador: lo que escribió sigue allí. Envíelo otra vez dentro de un minuto, o ahora sin la foto.',
    },
  },

  sending: 'Enviando…',
  stop: 'Parar y cambiarlo',
  waiting: 'Aún no se ha recibido. Se vuelve a intentar por sí solo: deje esta página abierta.',
  waitsHere:
    'Aún no se ha recibido. Espera en este dispositivo y se vuelve a intentar por sí solo: ahora, o al abrir otra vez esta página antes de un día.',
  left: 'Un aviso enviado desde este dispositivo aún no ha llegado. Se vuelve a intentar por sí solo.',
  leftRefused:
    'Se guarda aquí hasta que lo cambie, un día como máximo: para eso el formulario debe estar vacío.',
  changeIt: 'Cambiarlo en el formulario',
  apart: 'Entretanto se cerró su sesión: no está entre sus avisos.',
  photoGoing: 'Tenemos el aviso. La foto está en camino.',
  photoProgress: 'Parte enviada de la foto',
  photoSent: (percent) => `${percent} % enviado`,
  photoWaiting: 'Tenemos el aviso. La foto espera la conexión: deje esta página abierta.',
  photoWaitsHere:
    'Tenemos el aviso. La foto espera en este dispositivo y se vuelve a intentar por sí sola: ahora, o al abrir otra vez esta página antes de un día.',
  received: 'Tenemos su aviso. Gracias.',
  photoReceived: 'Tenemos su aviso y la foto. Gracias.',
  photoRefused: 'Tenemos su aviso. La foto no ha servido: está dañada, es demasiado grande o no es una foto.',
  photoLost: 'Tenemos su aviso. La foto no ha llegado.',
  keepReceipt: 'Para ver después qué fue de él:',
  receiptLink: 'Su recibo',
  another: 'Enviar otro',
  receipts: {
    title: 'Avisos desde este dispositivo',
    of: (time) => `Enviado el ${time}`,
    forget: 'Quitar de este dispositivo',
  },

  receipt: {
    title: 'Su aviso',
    keep: 'Guarde la dirección de esta página para ver qué es de su aviso. Quien la tenga ve lo mismo.',
    received: 'Recibido',
    looked: 'Página comprobada a las',
    look: 'Consultar de nuevo',
    follow: (kilobytes) => `Consultar por sí solo (${kilobytes} KB)`,
    following: 'Empezando…',
    offline: 'No hay respuesta. Se vuelve a intentar por sí solo.',
    read: 'Leer lo que salió de él',
    toCome: 'La redacción lo está usando. Cuando se publique, esta página dirá dónde.',
    states: {
      new: 'Recibido, aún sin leer.',
      in_review: 'Alguien de la redacción lo está mirando.',
      used: 'Se ha usado en nuestra cobertura. Gracias.',
      declined: 'Leído y no usado. Gracias de todos modos.',
      spam: 'Leído y no usado. Gracias de todos modos.',
    },
    none: {
      title: 'Ese recibo no existe',
      say: 'Puede que la dirección esté mal escrita o cortada. Cópiela entera.',
    },
    another: 'Enviar otro aviso',
  },
};
