import type * as en from '../en/privacy.ts';

export const privacy: typeof en.privacy = {
  title: 'Privacidad',
  link: 'Privacidad',
  what: (name) => `Qué guarda ${name} sobre usted y durante cuánto tiempo.`,

  sections: (kept) => [
    {
      title: 'Cuando lee',
      say: [
        'No usamos cookies. Todos los lectores reciben las mismas páginas y no registramos quién lee cada una.',
        'Mientras sigue una página en directo, su navegador guarda las páginas públicas que abre para que pueda leerlas sin conexión. Guarda hasta 30 páginas, cada una durante 30 días. Quedan en su dispositivo. Elimínelas con el botón de /offline o borrando los datos de este sitio en su navegador.',
        'Usamos su dirección de red para responderle. Permanece unos minutos en memoria para limitar las peticiones y no se guarda.',
        'Estas páginas no cargan nada de otras empresas: ni tipos de letra, ni analítica, ni publicidad. La excepción es un vídeo o audio de YouTube, Vimeo, TikTok o SoundCloud: su botón nombra el servidor, y el reproductor se carga solo al pulsarlo. Esa empresa recibe entonces su dirección de red, sabe que usted viene de este sitio y puede guardar datos en su navegador.',
      ],
    },
    {
      title: 'Cuando envía un aviso',
      say: [
        'Los moderadores, editores y propietarios de esta redacción ven su texto, su foto y, si los da, su nombre y sus datos de contacto. Si ha iniciado sesión, el aviso se vincula a su cuenta, salvo que elija lo contrario.',
        `Borramos su nombre y sus datos de contacto ${kept.contactDays} días después de que el aviso se use o se rechace. El texto queda en la redacción. Borramos los avisos sin atender a los ${kept.unhandledDays} días, y los retenidos y el spam a los ${kept.heldDays}.`,
        `Para evitar abusos, guardamos durante ${kept.senderDays} días resúmenes criptográficos (hash) de su dirección de red y de un identificador aleatorio de su navegador. Ni la dirección ni el identificador se pueden leer a partir de ellos. Su navegador guarda ese identificador, el texto sin enviar un día como máximo, los avisos pendientes con su foto y las direcciones de sus últimos recibos.`,
        'Eliminamos de las fotos el lugar, la hora y el dispositivo.',
      ],
    },
    {
      title: 'Cuando tiene una cuenta',
      say: [
        'Guardamos su dirección de correo, su nombre, su texto de presentación, su función, cuándo se creó la cuenta y cuándo inició sesión por última vez. De su contraseña guardamos solo un resumen criptográfico (hash), del que no se puede leer.',
        'Solo los propietarios de esta redacción ven su dirección de correo. Su nombre es público cuando se publica algo con él.',
        'Guardamos estos datos hasta que borre su cuenta. Si envía por chat, guardamos también el identificador y el nombre de su chat hasta que lo desvincule.',
        'El registro de actividad anota quién cambió personas, coberturas o el sitio, y cuándo. Se conserva siempre y contiene identificadores, que quedan cuando se borra una cuenta. Una invitación (nombre, dirección, función) se guarda hasta 30 días después de aceptarse, anularse o caducar.',
      ],
    },
    {
      title: 'Cuando recibe alertas',
      say: [
        'Guardamos qué sigue y cómo recibe las alertas. De un dispositivo guardamos la dirección del servicio de notificaciones de su navegador, dos claves, el tipo de dispositivo y cuándo recibió la última alerta. Ese servicio transmite las alertas cifradas: sabe que hubo una, pero no puede leerla. Su dispositivo recuerda qué alertas ha mostrado.',
        `Guardamos durante ${kept.deliveriesDays} días qué alertas ha recibido, para no enviarlas dos veces. No registramos si las abre.`,
        `Para recibir alertas no hace falta una cuenta. Sin ella guardamos el dispositivo, o la dirección que usted confirmó, y nada más de usted. Una petición sin confirmar se borra después de ${kept.followRequestHours} horas. Durante un día guardamos un resumen criptográfico (hash) de la red desde la que llegó, para que nadie pueda enviar demasiadas.`,
        `Sin una cuenta, las alertas terminan ${kept.followEndedDays} días después de su cobertura. La dirección o el dispositivo se borran en la hora siguiente a terminar lo último que seguían.`,
        `Puede dejar de recibir alertas en la página en la que las pidió, en su cuenta, con el enlace de cada correo o en su navegador. Cerrar la sesión termina las de su cuenta en ese dispositivo. Durante ${kept.unsubscribeLinkDays} días, un enlace ya usado muestra que las alertas han terminado, sin mostrar quién es usted.`,
      ],
    },
    {
      title: 'Cuando ha iniciado sesión',
      say: [
        'Una cookie contiene su sesión. Los scripts no pueden leerla. Otra, «signed-in», permite que las páginas muestren el enlace a su cuenta. Al cerrar la sesión se borran las dos.',
        `De cada sesión guardamos cuándo empezó y cuándo se usó por última vez, la dirección de red y el nombre del navegador, para que pueda distinguir sus dispositivos. Lo borramos cuando cierra la sesión allí o tras ${kept.sessionDays} días sin visitas.`,
        `Los intentos fallidos de iniciar sesión se cuentan en memoria unos minutos. Si pide un correo, una cookie recuerda su dirección durante ${kept.linkMinutes} minutos.`,
        'Su navegador guarda el texto de la mesa que aún no ha enviado hasta que lo envíe o lo borre, y los datos que la mesa necesita sin conexión. Cerrar la sesión oculta ambas cosas a la siguiente persona.',
      ],
    },
    {
      title: 'Correos',
      say: [
        `Enviamos los correos que se han pedido para su dirección: para confirmarla, iniciar sesión, elegir una contraseña, invitarle o empezar alertas. Sus enlaces y códigos valen ${kept.linkMinutes} minutos, una invitación una semana. Todos los demás correos son las alertas que eligió.`,
      ],
    },
    {
      title: 'Lo que publica',
      say: [
        'Lo publicado permanece, con su hora, su firma y sus correcciones. Cuando borra su cuenta, queda su firma en lo publicado y todo lo demás se borra. Si nunca se publicó nada con su nombre, también borramos el nombre.',
      ],
    },
    {
      title: 'Registros',
      say: [
        'El servidor registra sus propios errores, no las visitas. La empresa de alojamiento y su proveedor de red pueden guardar registros propios.',
      ],
    },
  ],
  backups: {
    title: 'Copias de seguridad',
    say: (kept) =>
      `Hacemos copias de seguridad de todos los datos de la redacción. Una copia contiene los datos de su momento; ${
        kept ? `guardamos las ${kept} más recientes` : 'se borra cuando hay otras más recientes'
      }.`,
  },
  yours: {
    title: 'Lo que puede hacer',
    account: 'Ver y cambiar sus datos, cerrar sesiones o borrar su cuenta:',
    contact: 'Para otras preguntas:',
  },
};
