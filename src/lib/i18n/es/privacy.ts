import type * as en from '../en/privacy.ts';

export const privacy: typeof en.privacy = {
  title: 'Privacidad',
  link: 'Privacidad',
  what: (name) => `Qué guarda ${name} de usted, y por cuánto tiempo.`,

  sections: (kept) => [
    {
      title: 'Cuando lee',
      say: [
        'No se deja ninguna cookie. Las páginas son las mismas para todos y nadie cuenta quién lee qué.',
        'Mientras sigue una página en directo, su navegador guarda una copia de las páginas públicas que abre, para mostrarlas donde no haya conexión: 30 como mucho, cada una durante 30 días o hasta que vuelva aquí después. Quedan en su dispositivo. Un botón en /offline las quita, y también borrar los datos de este sitio en su navegador.',
        'Su dirección de red se usa para responderle y se tiene en memoria unos minutos, para que ninguna línea pueda pedir demasiado. No se anota.',
        'Nada de estas páginas se carga de nadie más: ni tipos de letra, ni contadores, ni publicidad.',
      ],
    },
    {
      title: 'Cuando envía un aviso',
      say: [
        'Lo que escribe, su nombre y cómo localizarle si los da, y su foto llegan a quienes en esta redacción atienden los avisos, y a nadie más. Si ha entrado y lo deja así, se une a su cuenta, donde ve qué fue de él; si no, a ninguna.',
        `Su nombre y cómo localizarle se olvidan ${kept.contactDays} días después de que el aviso se use o se rechace; lo que escribió queda en la redacción. Un aviso que nadie atendió se va entero a los ${kept.unhandledDays} días; uno que se retuvo o se tomó por spam, a los ${kept.heldDays}.`,
        `Para que ninguna línea pueda inundarnos, guardamos resúmenes de su dirección de red y de un nombre al azar que recibe su navegador, de los que no se puede leer ninguno. Se van a los ${kept.senderDays} días. Su navegador guarda ese nombre, lo que escribe un día como mucho, lo que ha pulsado, con su foto, hasta que se envíe, y las direcciones de sus últimos recibos.`,
        'De una foto guardamos solo la imagen: ni dónde se tomó, ni cuándo, ni con qué.',
      ],
    },
    {
      title: 'Cuando tiene una cuenta',
      say: [
        'Guardamos su dirección de correo, su nombre, lo que dice de sí, su función, cuándo se creó la cuenta y cuándo entró por última vez. De su contraseña guardamos solo un resumen, del que no se puede leer.',
        'Su dirección de correo la ven los dueños de esta redacción y nadie más. Su nombre es público cuando se publica algo con él.',
        'Todo esto se guarda hasta que borre su cuenta.',
        'Quién cambió personas, coberturas o el sitio se anota con la hora y se guarda para siempre, por identificadores: cuando se borra una cuenta, queda su identificador. Una invitación (nombre, dirección, función) se guarda hasta 30 días después de aceptarse, anularse o caducar.',
      ],
    },
    {
      title: 'Cuando recibe alertas',
      say: [
        'Guardamos qué sigue y cómo se le avisa. De un dispositivo: la dirección que nos da para él quien hace su navegador, dos claves, qué clase de dispositivo es y cuándo se le avisó por última vez. Las palabras de una alerta pasan por el servicio de esa empresa cifradas solo para su dispositivo; ella sabe que hubo una. Su dispositivo recuerda qué alertas ha mostrado.',
        `Qué alerta fue a quién se guarda ${kept.deliveriesDays} días, para que nadie la reciba dos veces. No se mira si la abre.`,
        `Para recibir alertas no hace falta una cuenta. Sin ella guardamos el dispositivo, o la dirección que usted confirmó, y nada más de usted. Una petición sin confirmar se borra después de ${kept.followRequestHours} horas. Durante un día guardamos un resumen de la red desde la que llegó, para que nadie pueda enviar demasiadas.`,
        `Sin una cuenta, las alertas terminan ${kept.followEndedDays} días después de su cobertura. La dirección o el dispositivo se borran en la hora siguiente a terminar lo último que seguían.`,
        `Puede terminarlo todo en su cuenta, con el enlace de cada correo o en su navegador; cerrar la sesión lo termina en ese dispositivo. Un enlace que terminó algo lo dice durante ${kept.unsubscribeLinkDays} días, y no dice quién es usted.`,
      ],
    },
    {
      title: 'Cuando ha entrado',
      say: [
        'Una cookie guarda su sesión. Hace falta para entrar y ningún script puede leerla. Otra, «signed-in», permite que las páginas muestren el enlace a su cuenta. Al cerrar la sesión se borran las dos.',
        `Con cada sesión anotamos cuándo empezó, cuándo se usó por última vez, la dirección de red y el nombre que su navegador se da, para que pueda distinguir sus dispositivos. Todo ello se va cuando cierra la sesión allí y cuando nadie ha vuelto en ${kept.sessionDays} días.`,
        `Los intentos fallidos de entrar se cuentan en memoria unos minutos. Quien pide un correo lleva ${kept.linkMinutes} minutos una cookie que dice a qué dirección fue.`,
        'Lo que escribe en la mesa y aún no ha enviado se guarda en su propio navegador hasta que se envía o se tira, y también lo que una mesa que ha abierto necesita para abrirse sin conexión; cerrar la sesión oculta ambas cosas a quien venga después.',
      ],
    },
    {
      title: 'Correos',
      say: [
        `Recibe los correos que alguien pidió en su nombre: para confirmar una dirección, entrar, elegir una contraseña, ser invitado o empezar alertas. Sus enlaces y códigos valen ${kept.linkMinutes} minutos, una invitación una semana. Aparte de ellos solo hay las alertas que eligió.`,
      ],
    },
    {
      title: 'Lo que publica',
      say: [
        'Lo publicado pertenece al registro, con su hora, su firma y sus correcciones. Cuando borra su cuenta, su firma queda bajo lo que la lleva y nada más de la cuenta. Si nunca se publicó nada con su nombre, el nombre también se va.',
      ],
    },
    {
      title: 'Registros',
      say: [
        'El servidor anota sus propios fallos, no las visitas. Quien lleve la máquina, o esté entre usted y ella, puede guardar registros propios.',
      ],
    },
  ],
  backups: {
    title: 'Copias de seguridad',
    say: (kept) =>
      `La redacción entera se copia, para que nada se pierda. Una copia contiene lo que había cuando se hizo; ${
        kept
          ? `se guardan las ${kept} más recientes y las demás se desechan`
          : 'se desecha cuando otras más recientes han ocupado su lugar'
      }.`,
  },
  yours: {
    title: 'Lo que puede hacer',
    account: 'Ver y cambiar lo que se guarda, cerrar sesiones y borrar su cuenta:',
    contact: 'Preguntarnos cualquier otra cosa:',
  },
};
