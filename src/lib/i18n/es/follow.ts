import type * as en from '../en/follow.ts';

export const follow: typeof en.follow = {
  link: 'Recibir alertas',
  about: { coverage: 'Cuando haya algo nuevo en', topic: 'Cuando haya algo nuevo en cualquier cobertura de' },
  now: {
    none: 'No recibe alertas de esto.',
    some: (scope, mail, push) =>
      `${scope === 'all' ? 'Le llegan todas las actualizaciones' : 'Le llegan los momentos clave'} ${
        mail && push ? 'por correo y en sus dispositivos' : mail ? 'por correo' : 'en sus dispositivos'
      }.`,
  },
  done: {
    saved: 'Guardado.',
    stopped: 'Terminado. No llegan más alertas de esto.',
    confirmed: 'Su dirección está confirmada.',
  },
  over: 'Esta cobertura ha terminado: ya no llegan alertas de ella.',
  impossible: 'Esta redacción no puede enviar alertas.',

  what: {
    legend: 'Qué',
    all: 'Todas las actualizaciones',
    allHelp: (minutes) => `Como mucho una alerta cada ${minutes} minutos, salvo que sea urgente.`,
    key: 'Solo momentos clave',
    keyHelp: 'Menos: lo que la redacción señala y lo que es urgente.',
  },
  how: {
    legend: 'Cómo',
    mail: 'Por correo',
    mailHelp: (email) => `A ${email}.`,
    digest: (minutes) =>
      minutes === 60
        ? 'Como mucho un correo por hora, con todo lo nuevo; enseguida si es urgente.'
        : `Como mucho un correo cada ${minutes} minutos, con todo lo nuevo; enseguida si es urgente.`,
    push: 'En este dispositivo',
    pushToo: 'En mis dispositivos',
    neither: 'Elija el correo, un dispositivo o ambos.',
    noDevice:
      'Ningún dispositivo suyo está preparado. Elija el correo o permita las notificaciones en este dispositivo.',
  },
  device: {
    script: 'Necesita JavaScript, que su navegador no ejecuta aquí.',
    install:
      'En un iPhone o iPad, añada primero este sitio a la pantalla de inicio (Compartir, luego Añadir a pantalla de inicio). Ábralo desde allí y vuelva a esta página.',
    unable: 'Este navegador no puede hacerlo aquí: es demasiado antiguo, o esta es una ventana privada.',
    denied:
      'Su navegador bloquea las notificaciones de este sitio. Permítalas en sus ajustes para este sitio y vuelva a cargar esta página.',
    noCopies: 'Esta redacción no guarda nada en los dispositivos, así que allí no se puede mostrar nada.',
    ask: 'Su navegador preguntará si este sitio puede mostrar notificaciones.',
    ready: 'Este dispositivo queda preparado cuando guarde.',
    here: 'Este dispositivo está preparado.',
    others: 'Las alertas llegan a sus otros dispositivos. Este no está preparado.',
    other: 'Este dispositivo muestra las alertas de otra cuenta. Cuando guarde, mostrará las suyas.',
    setting: 'Preparando…',
    failed:
      'No se pudo preparar: su navegador no alcanzó el servicio que trae las notificaciones. Inténtelo de nuevo o elija el correo.',
    refused: 'Las notificaciones no se permitieron. Elija el correo, o permítalas e inténtelo de nuevo.',
    alertsStopped: 'Este dispositivo ya no muestra alertas.',
    add: 'Preparar este dispositivo',
    take: 'Sin alertas en este dispositivo',
  },
  save: 'Guardar',
  stop: 'Dejar de recibirlo todo',
  all: 'Todas sus alertas',
  privacy: 'Qué se guarda, y por cuánto tiempo',

  nobody: {
    say: 'Le enviamos un enlace por correo. Cuando confirme su dirección empiezan las alertas, y tiene una cuenta para cambiarlas o terminarlas. Cada alerta trae la manera de terminarlas.',
    send: 'Envíenme el enlace',
    device: 'Para alertas en un dispositivo, o si ya tiene una cuenta:',
    signedOut: 'Se ha cerrado su sesión. Dé su dirección, o entre.',
    account: 'Para las alertas hace falta una cuenta aquí.',
  },
  confirm: {
    title: 'Confirme sus alertas',
    what: (scope, name) =>
      `${scope === 'all' ? 'Todas las actualizaciones' : 'Solo momentos clave'}, por correo, sobre «${name}».`,
    say: 'El botón confirma su dirección, inicia estas alertas y abre su sesión en este navegador.',
    press: 'Confirmar y empezar',
  },

  unsubscribe: {
    title: 'Dejar de recibir estos correos',
    say: 'Ya no le llegarán correos sobre',
    press: 'Dejar de recibirlos',
    stopped: 'Terminado',
    said: 'Ya no le enviamos correos sobre',
    again: 'Si fue un error:',
    none: {
      title: 'Aquí no hay nada que terminar',
      say: 'El enlace no está entero, o aquello para lo que servía terminó hace mucho. Copie todo el enlace del correo en la barra de direcciones.',
    },
  },

  unread: 'Hay noticias aquí.',
};
