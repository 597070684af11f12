import type * as en from '../en/follow.ts';

export const follow: typeof en.follow = {
  link: 'Recibir alertas',
  about: { coverage: 'Novedades en', topic: 'Novedades en todas las coberturas de' },
  now: {
    none: 'Aún no recibe alertas de esto.',
    some: (scope, mail, push) =>
      `Recibe ${scope === 'all' ? 'todas las actualizaciones' : 'los momentos clave'} ${
        mail && push ? 'por correo y en sus dispositivos' : mail ? 'por correo' : 'en sus dispositivos'
      }.`,
  },
  done: {
    saved: 'Guardado.',
    stopped: 'Ya no recibe alertas de esto.',
    mailed:
      'Mire su correo. Las alertas empiezan cuando abra el enlace y pulse el botón. El enlace vale durante 24 horas.',
  },
  over: 'Esta cobertura ha terminado. Ya no envía alertas.',
  impossible: 'Esta redacción no puede enviar alertas.',

  what: {
    legend: 'Qué actualizaciones',
    all: 'Todas las actualizaciones',
    allHelp: (minutes) => `Como mucho una alerta cada ${minutes} minutos, salvo que sea urgente.`,
    key: 'Solo momentos clave',
    keyHelp: 'Menos alertas: momentos clave y actualizaciones urgentes.',
  },
  how: {
    legend: 'Cómo las recibe',
    mail: 'Por correo',
    mailHelp: (email) => `A ${email}.`,
    digest: (minutes) =>
      minutes === 60
        ? 'Como máximo un correo por hora con todas las novedades. Lo urgente llega enseguida.'
        : `Como máximo un correo cada ${minutes} minutos con todas las novedades. Lo urgente llega enseguida.`,
    push: 'En este dispositivo',
    pushToo: 'En mis dispositivos',
    neither: 'Elija el correo, un dispositivo o ambos.',
    noDevice:
      'Ninguno de sus dispositivos está configurado. Elija el correo o permita las notificaciones en este dispositivo.',
  },
  device: {
    script: 'Las alertas en este dispositivo necesitan JavaScript, que está desactivado en su navegador.',
    install:
      'En un iPhone o iPad, añada primero este sitio a la pantalla de inicio (Compartir, luego Añadir a pantalla de inicio). Ábralo desde allí y vuelva a esta página.',
    unable: 'Este navegador no puede mostrar alertas: es demasiado antiguo, o esta es una ventana privada.',
    denied:
      'Su navegador bloquea las notificaciones de este sitio. Permítalas en los ajustes del navegador y recargue esta página.',
    noCopies: 'Esta redacción no envía alertas a dispositivos.',
    ask: 'Su navegador preguntará si este sitio puede mostrar notificaciones.',
    ready: 'Guarde para configurar este dispositivo.',
    here: 'Este dispositivo está configurado.',
    others: 'Sus otros dispositivos reciben alertas. Este no está configurado.',
    other: 'Este dispositivo muestra las alertas de otra cuenta. Cuando guarde, mostrará las suyas.',
    withoutAccount: 'Este dispositivo ya recibe alertas sin cuenta. Puede añadirlas a su cuenta.',
    adopt: 'Añadirlas a mi cuenta',
    setting: 'Configurando…',
    failed:
      'No ha funcionado: su navegador no alcanzó nuestro servidor o su servicio de notificaciones. Inténtelo de nuevo o elija el correo.',
    refused: 'Las notificaciones no están permitidas. Elija el correo, o permítalas e inténtelo de nuevo.',
    alertsStopped: 'Este dispositivo ya no recibe alertas.',
    add: 'Configurar este dispositivo',
    take: 'Dejar de recibir alertas en este dispositivo',
  },
  save: 'Guardar',
  stop: 'Dejar de recibir estas alertas',
  all: 'Todas sus alertas',
  privacy: 'Qué guardamos y durante cuánto tiempo',

  choices: {
    say: 'Elija sobre qué quiere recibir alertas. Llegan por correo o a su dispositivo. No necesita una cuenta.',
    running: 'En directo ahora',
    topics: 'Temas',
    none: 'Ahora no hay ninguna cobertura en directo ni prevista. Cuando la haya, podrá elegirla aquí.',
    change: 'Abra una de ellas para cambiar o detener sus alertas.',
    ofAccount: 'Las alertas de su cuenta',
    device: {
      title: 'Alertas en este dispositivo',
      none: 'Este dispositivo aún no recibe alertas.',
      account: 'Este dispositivo recibe las alertas de una cuenta.',
      stopped: 'Detenidas. Este dispositivo ya no recibe alertas.',
      failed: 'No se pudo conectar con la redacción. Recargue la página para intentarlo de nuevo.',
    },
  },

  thisDevice: {
    follow: 'Recibir alertas en este dispositivo',
    change: 'Guardar',
    stop: 'Dejar de recibir alertas en este dispositivo',
    stopAll: 'Dejar de recibir todas las alertas en este dispositivo',
    now: {
      all: 'Este dispositivo recibe alertas de todas las actualizaciones.',
      key: 'Este dispositivo recibe alertas de los momentos clave.',
    },
    none: 'Este dispositivo no recibe alertas de esto.',
    stopped: 'Este dispositivo ya no recibe estas alertas.',
    others: 'Este dispositivo también recibe alertas sobre:',
    account: 'Con una cuenta ve sus alertas en todos sus dispositivos.',
  },
  visitor: {
    device: 'En este dispositivo',
    mail: 'Por correo',
    say: 'Le enviamos un enlace para confirmar su dirección. No necesita una cuenta.',
    send: 'Envíenme el enlace',
    signedOut: 'Se ha cerrado su sesión. Escriba su dirección o inicie sesión.',
  },
  confirm: {
    title: 'Confirme sus alertas',
    what: (scope, name) =>
      `${scope === 'all' ? 'Todas las actualizaciones' : 'Solo momentos clave'}, por correo, sobre «${name}».`,
    press: 'Empezar a recibirlas',
    started: 'Las alertas han empezado',
    said: 'Cada correo lleva un enlace para dejar de recibirlas.',
    read: 'Leer',
    account: 'Con una cuenta ve y cambia todas sus alertas en un solo lugar.',
    none: {
      title: 'Este enlace no funciona',
      say: 'Está incompleto o tiene más de 24 horas. Abra la cobertura y elija otra vez Recibir alertas.',
    },
  },

  unsubscribe: {
    title: 'Dejar de recibir estos correos',
    say: 'Dejará de recibir correos sobre',
    press: 'Dejar de recibirlos',
    stopped: 'Hecho',
    said: 'Ya no recibe correos sobre',
    again: 'Si fue un error:',
    none: {
      title: 'Este enlace no funciona',
      say: 'El enlace está incompleto o ha caducado. Copie todo el enlace del correo en la barra de direcciones.',
    },
  },

  unread: 'Hay novedades.',
};
