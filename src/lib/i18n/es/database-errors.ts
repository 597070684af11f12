import type { ErrorMessages } from '../en/database-errors.ts';

const updateName = (number: number | null) =>
  number === null ? 'una actualización sin publicar' : `actualización ${number}`;

/**
 * The words of the interface for values of the database. Those without an entry are written in the files of an
 * import.
 */
const CHOICES: Record<string, string> = {
  reader: 'lector/a',
  contributor: 'colaborador/a',
  reporter: 'reportero/a',
  moderator: 'moderador/a',
  editor: 'editor/a',
  owner: 'propietario/a',
  normal: 'normal',
  important: 'importante',
  urgent: 'urgente',
  unverified: 'sin verificar',
  developing: 'en desarrollo',
  confirmed: 'confirmado',
  sockets: 'al instante',
  checks: 'con comprobaciones periódicas',
  auto: 'automático',
  open: 'abiertos',
  mine: 'míos',
  held: 'retenidos',
  used: 'usados',
  declined: 'rechazados',
  spam: 'spam',
  all: 'todos los avisos',
};

const STATES: Record<string, string> = {
  draft: 'borrador',
  scheduled: 'programada',
  live: 'en directo',
  paused: 'en pausa',
  ended: 'terminada',
  archived: 'archivada',
  withdrawn: 'retirada',
};

const PHOTO_STATES: Record<string, string> = { ready: 'subida', refused: 'rechazada', removed: 'eliminada' };

const INVITE_STATES: Record<string, string> = { accepted: 'aceptada', revoked: 'anulada' };

export const errorMessages: ErrorMessages = {
  sign_in_required: 'Inicie sesión y vuelva a pulsar. Su texto se conserva.',
  idempotency_key_missing: 'Envíe una clave de idempotencia nueva.',
  idempotency_key_reused: 'Esta clave de idempotencia es de otra orden. Envíe una nueva.',
  log_entry_not_found: 'Esa anotación no existe. Empiece de nuevo por la más reciente.',
  not_text: 'Envíe esto como texto.',
  invalid_line: ({ max }) => `Escriba una línea de como máximo ${max} caracteres.`,
  invalid_text: ({ max }) => `Escriba un texto de como máximo ${max} caracteres.`,
  not_an_object: 'Envíe el contenido como un objeto.',
  unknown_field: 'Ese campo no existe.',
  invalid_time: 'Indique fecha y hora con su zona, como 2026-03-01T14:05:00Z.',
  time_in_future: 'Indique una hora que ya haya pasado.',
  unknown_choice: ({ choices }) =>
    `Elija uno de estos: ${choices.map((choice) => `«${CHOICES[choice] ?? choice}»`).join(', ')}.`,
  integer_out_of_range: ({ min, max }) => `Indique un número entero de ${min} a ${max}.`,
  body_not_a_list: 'Envíe el texto como una lista de bloques.',
  text_missing: 'Escriba algo primero.',
  too_many_blocks: ({ max, count }) => `Use ${max} bloques como mucho: esto tiene ${count}.`,
  too_many_characters: ({ max, count }) => `Use ${max} caracteres como mucho: esto tiene ${count}.`,
  body_too_large: 'Acorte esto, o use menos enlaces y menos formato.',
  photo_in_summary: 'Un resumen no puede contener fotos. Póngalas en las actualizaciones.',
  duplicate_photo: 'Use cada foto una sola vez.',
  table_too_large: ({ rows, columns }) => `Una tabla tiene como máximo ${rows} filas y ${columns} columnas.`,
  too_many_csv_tables: ({ max }) =>
    `En una cobertura se pueden leer de direcciones CSV ${max} tablas como máximo. Quite una dirección.`,
  invalid_map: ({ max }) =>
    `Un mapa tiene un nombre de ${max} caracteres como máximo, una latitud de hasta 90 y una longitud de hasta 180, con cinco decimales como máximo.`,
  media_address: 'Use la dirección de un solo vídeo o audio de YouTube, Vimeo, TikTok o SoundCloud.',
  invalid_block:
    'Cada bloque es un párrafo, una lista, una cita, un enlace, una tabla, una publicación, un vídeo o un audio con texto, un mapa o una foto; los enlaces son http o https.',
  not_boolean: 'Envíe true o false.',
  invalid_bylines: ({ max }) => `Elija como máximo a ${max} personas distintas de la redacción.`,
  invalid_note: ({ max }) => `Diga a los lectores qué cambió o por qué, en 1 a ${max} caracteres.`,
  not_found_or_hidden: 'No existe o usted no puede verlo.',
  import_in_progress: 'Esta cobertura se está importando. Espere a que termine la importación.',
  id_taken: 'Este identificador está en uso. Cree uno nuevo; su texto se conserva.',
  permission_missing: 'Su función no permite esto. Pregunte a un editor. Su texto se conserva.',
  update_id_missing: 'Envíe un identificador hecho para esta actualización.',
  canonical_url_wrong: 'Escriba una dirección que empiece por https://, sin nada después de #.',
  photo_not_published: 'Elija una foto de una actualización publicada de esta cobertura.',
  file_outside_update: 'Los vídeos y audios propios solo pueden estar en actualizaciones. Póngalos en una.',
  file_unavailable:
    'Uno de los vídeos o audios ya no está, no es suyo o se cambió su línea. Quítelo o añádalo de nuevo.',
  file_description_missing:
    'Describa cada vídeo o audio: debajo de su título, escriba líneas que empiecen por «: ».',
  photo_unavailable: 'Una de las fotos ya no está o no es suya. Quítela o añádala de nuevo.',
  alt_text_missing: 'Escriba el texto alternativo de cada foto.',
  urgent_needs_editor: 'Solo un editor marca algo como urgente. Elija importante o pregunte a un editor.',
  version_outdated:
    'No se ha guardado. Otra persona lo cambió antes. Compare las dos versiones y vuelva a guardar.',
  coverage_not_publishing:
    'Se publica en una cobertura en directo, en pausa o terminada. Cambie antes su estado; su texto se conserva.',
  update_not_waiting: 'Esta actualización ya no está en la mesa. Ábrala otra vez para ver dónde está.',
  update_not_draft: 'Esta actualización ya se entregó o se programó.',
  update_withdrawn: 'Esta actualización se ha retirado. Publique otra en su lugar.',
  update_not_published: 'Esta actualización aún no está publicada.',
  invalid_revision_kind: 'Elija aclaración o corrección.',
  update_not_pinnable: 'Solo se puede fijar una actualización publicada de esta cobertura.',
  invalid_slug: ({ min, max }) => `Use de ${min} a ${max} caracteres de a-z, 0-9 y guiones sueltos.`,
  headline_missing: 'Escriba un titular.',
  invalid_time_zone: 'Elija una zona horaria de la lista.',
  invalid_language: 'Elija un idioma de la lista.',
  scheduled_without_start: 'Una cobertura programada necesita una hora de inicio.',
  slug_taken: 'Esta dirección corta es de otra cobertura. Elija una distinta.',
  invalid_topics: ({ max }) => `Elija como máximo ${max} temas existentes.`,
  coverage_id_missing: 'Envíe un identificador hecho para esta cobertura.',
  invalid_state_change: ({ state, new_state }) =>
    `Una cobertura no puede pasar de «${STATES[state] ?? state}» a «${STATES[new_state ?? ''] ?? 'ninguno'}».`,
  start_time_missing: 'Indique la hora de inicio antes de programarla.',
  coverage_not_live: 'Solo puede continuar una cobertura en directo.',
  invalid_expiry: 'Indique un día en el que termine.',
  front_page_too_long: ({ max }) => `Elija como máximo ${max} coberturas para la portada.`,
  front_page_repeats_coverage: 'Elija cada cobertura una sola vez.',
  front_page_coverage_not_public: 'Elija solo coberturas que los lectores pueden ver.',
  person_not_contributor: 'A una cobertura solo se añade un colaborador. Los demás la ven por su función.',
  invalid_topic_name: ({ max }) => `Un nombre es una línea de 1 a ${max} caracteres.`,
  invalid_topic_description: ({ max }) => `Una descripción tiene ${max} caracteres como mucho.`,
  invalid_accent_colour: 'Escriba un color como #rrggbb o déjelo vacío para usar el predeterminado.',
  contrast_too_low: ({ contrast, min }) =>
    `Este color tiene un contraste de ${contrast} con el fondo. El texto necesita ${min}.`,
  site_image_missing: 'Esta imagen se ha borrado. Elija el archivo de nuevo.',
  site_image_wrong: 'Envíe la imagen tal como el sitio la limpió.',
  site_link_wrong: ({ max }) =>
    `Escriba un texto de ${max} caracteres como máximo y una dirección que empiece por https:// o /, de 300 caracteres como máximo.`,
  menu_not_a_list: 'Envíe el menú como una lista de enlaces.',
  menu_too_long: ({ max }) => `El menú tiene sitio para ${max} enlaces.`,
  menu_link_wrong: ({ max }) =>
    `Escriba un texto de ${max} caracteres como máximo y una dirección que empiece por https:// o /, de 300 caracteres como máximo.`,
  embed_origins_not_a_list: 'Envíe los sitios como una lista de textos.',
  embed_wildcard_not_alone: 'La entrada * vale para cualquier sitio. Quite las demás entradas o quítela.',
  too_many_embed_origins: ({ max }) => `Indique como máximo ${max} sitios.`,
  invalid_embed_origin:
    'Indique cada sitio como https://example.com, o como https://*.example.com para sus subdominios.',
  site_name_missing: 'Escriba un nombre para el sitio.',
  photo_in_about: 'Este texto no puede contener fotos.',
  surge_mode_missing: 'Elija cómo reciben los cambios los lectores.',
  last_owner: 'No se puede quitar al último propietario. Dé antes esa función a otra persona.',
  role_missing: 'Elija una función.',
  person_not_found: 'Esa persona no existe.',
  list_changed: 'La lista ha cambiado. Empiece de nuevo por el principio.',
  publication_time_missing: 'Indique la hora en que se publicó, con su zona.',
  item_id_missing: 'Envíe un identificador creado para este elemento.',
  photo_not_imported:
    'Importe las fotos antes que las actualizaciones que las muestran, cada una con su texto alternativo.',
  session_ended: 'Se ha cerrado su sesión. Inicie sesión de nuevo; su texto se conserva.',
  account_inactive: 'Esta cuenta no está activa. Pregunte a los propietarios.',
  invalid_name: ({ max }) => `Escriba un nombre de 1 a ${max} caracteres.`,
  invalid_code_hash: 'Envíe el SHA-256 del código en hexadecimal.',
  setup_finished: 'Esta redacción ya tiene propietario. Inicie sesión.',
  setup_code_wrong: 'Este no es el código más reciente. Cópielo otra vez del registro del servidor.',
  public_photo_without_alt_text: 'Esta foto está publicada. Escriba el texto alternativo.',
  file_id_missing: 'Envíe un identificador hecho para este archivo.',
  file_format: 'Envíe mp4, webm, mp3 o m4a.',
  file_length: 'La duración debe ser de 1 a 99.999 segundos.',
  too_many_unused_files: ({ max }) =>
    `En un día ha subido ${max} vídeos o audios que no están en ninguna actualización. Añádalos a una o suba más mañana.`,
  file_in_other_coverage: ({ file }) => `${file} ya existe, en otra cobertura o con otro tamaño.`,
  file_missing: ({ file }) => `${file} no está en el almacenamiento.`,
  photo_id_missing: 'Envíe un identificador hecho para esta foto.',
  photo_already_processed: ({ state }) => `Esta foto ya está ${PHOTO_STATES[state] ?? state}.`,
  invalid_renditions: 'Envíe las copias con anchura, altura y bytes, la más pequeña primero.',
  invalid_placeholder_colour: 'Envíe un color como #0a1b2c.',
  invalid_error_code: 'Envíe un código del catálogo de errores.',
  photo_of_another_person: 'Esta foto la envía otra persona.',
  invalid_receipt: 'Envíe un secreto de al menos 32 caracteres de A-Z, a-z, 0-9, _ y -.',
  schedule_time_in_past: 'Indique una hora futura o publique ahora.',
  schedule_time_too_late: ({ max_days }) => `Indique una hora dentro de ${max_days} días.`,
  coverage_closed: 'Esta cobertura no admite más actualizaciones. Su texto se conserva.',
  update_not_scheduled: 'Esta actualización no está programada.',
  version_without_content: 'El contenido de esta versión ya se eliminó.',
  version_is_current:
    'Esta es la versión actual. Cambie la actualización o retírela y después suprima esta versión.',
  photo_already_removed: 'Esta foto ya se eliminó.',
  photo_in_other_updates: ({ updates }) =>
    `También muestran esta foto actualizaciones de otras personas: ${updates.map(updateName).join(', ')}. Pregunte a un editor.`,
  update_shows_both_photos: ({ number }) =>
    `Una actualización muestra las dos fotos: ${updateName(number)}. Quite una de ellas allí.`,
  update_shows_only_photo: ({ number }) =>
    `Una actualización solo contiene esta foto: ${updateName(number)}. En su lugar, retire esa actualización.`,
  waiting_update_shows_only_photo:
    'Una actualización sin publicar solo contiene esta foto. Descártela primero.',
  replacement_unavailable: 'La foto nueva no existe o no es suya. Elíjala de nuevo.',
  replacement_not_ready: 'La foto nueva no se ha subido. Elíjala de nuevo.',
  invited_account_inactive: 'La cuenta con esta dirección está desactivada. Actívela primero.',
  role_already_given: 'Esta persona ya tiene esa función o una superior.',
  invite_id_missing: 'Envíe un identificador hecho para esta invitación.',
  invalid_token_hash: 'Envíe el SHA-256 de un secreto en hexadecimal.',
  invalid_email: 'Escriba una dirección de correo, como nombre@example.com.',
  invite_role_missing: 'Elija una función. Para leer nadie necesita invitación.',
  invite_coverage_missing: 'Elija la cobertura para la que escribirá.',
  already_invited: 'Esta dirección ya tiene una invitación. Envíela otra vez o anúlela antes.',
  invite_expired: 'Esta invitación ha caducado. Pida otra.',
  invite_not_pending: ({ state }) =>
    `Esta invitación ya no está pendiente: ${INVITE_STATES[state] ?? state}.`,
  invite_for_another_address: 'Esta invitación es para otra dirección. Inicie sesión con esa cuenta.',
  export_not_begun: 'Empiece antes una exportación. Puede descargarla durante un día.',
  tip_in_review: 'Otra persona está revisando este aviso. Déjeselo o tómelo antes usted.',
  tip_already_open: 'Este aviso ya está abierto.',
  tip_already_handled: 'Otra persona ya ha atendido este aviso.',
  tip_version_outdated: 'Otra persona ha cambiado este aviso. Revíselo y vuelva a pulsar.',
  person_handles_no_tips: 'Elija a alguien que atienda los avisos.',
  invalid_tip_result: 'Elija rechazado o spam.',
  tip_photo_unavailable: 'La foto de este aviso no se puede usar. Déjela fuera.',
  tip_update_published:
    'La actualización que se hizo con este aviso está publicada. En su lugar, retire esa actualización.',
  invalid_push_public_key: 'Envíe una clave pública P-256 en base64url.',
  invalid_push_private_key: 'Envíe una clave privada P-256 en base64url.',
  follow_target_missing: 'Elija una cobertura o un tema.',
  follow_scope_missing: 'Elija todas las actualizaciones o los momentos clave.',
  too_many_follows: ({ max }) =>
    `Puede seguir como mucho ${max} coberturas y temas. Deje antes de seguir uno.`,
  device_of_an_account:
    'Este navegador muestra las alertas de una cuenta. Desactívelas y vuelva a activarlas.',
  too_many_new_devices:
    'Demasiados dispositivos de su red han pedido alertas. Inténtelo dentro de una hora o elija el correo.',
  too_many_follow_requests:
    'Demasiadas personas han pedido alertas por correo. Inténtelo dentro de una hora.',
  no_alert_mail: 'Esta redacción no envía correo. Elija alertas en este dispositivo.',
  unknown_push_service:
    'El servicio de notificaciones de este navegador no se admite. Elija el correo u otro navegador.',
  invalid_push_key: 'La clave de este navegador no es válida. Desactive las alertas y vuelva a activarlas.',
  coverage_withdrawn: 'Esta cobertura se retiró.',
  integer_too_small: ({ min }) => `Indique un número entero de al menos ${min}.`,
  invalid_list: ({ max }) => `Envíe una lista de ${max} elementos como máximo.`,
  invalid_list_item: 'Cada elemento de la lista es un objeto que solo tiene campos conocidos.',
  state_not_public: 'Solo se pueden importar coberturas y actualizaciones públicas.',
  publication_time_mismatch:
    'Indique la hora de publicación de una cobertura que ha empezado, y de ninguna otra.',
  end_time_mismatch: 'Indique la hora final de una cobertura que ha terminado, y de ninguna otra.',
  updates_before_start: 'Nada se publica antes de que una cobertura empiece.',
  invalid_person: 'Cada persona necesita un alias, un nombre y una presentación válidos.',
  duplicate_entry: 'Incluya cada elemento una sola vez.',
  person_not_author: 'Una de estas personas tiene cuenta aquí y no es autora.',
  invalid_earlier_slug: 'Cada dirección corta debe ser válida para una cobertura.',
  imported_slug_taken: ({ slug }) =>
    `La dirección corta ${slug} es aquí de otra cobertura. Indique una distinta.`,
  current_slug_missing: 'Las direcciones cortas deben incluir la actual de la cobertura.',
  photo_in_other_coverage: ({ photo }) => `La foto ${photo} ya está aquí, en otra cobertura.`,
  invalid_topic: 'Cada tema necesita una dirección corta, un nombre y una descripción válidos.',
  unknown_format: 'Esta versión no puede leer esta carpeta de cobertura. Puede ser de una versión más nueva.',
  coverage_newer_than_import: ({ seq, imported_seq }) =>
    `Esta cobertura ya existe aquí con cambios más nuevos: cambio ${seq}, donde la carpeta tiene ${imported_seq}.`,
  coverage_differs_from_import:
    'Esta cobertura ya existe aquí con otro contenido. Una importación no une los dos.',
  import_ended: 'Esta importación ha terminado. Empiece de nuevo desde el principio.',
  invalid_imported_bylines: ({ max }) => `Indique como máximo a ${max} personas del archivo.`,
  version_order: 'Los números de versión van en aumento hasta la versión actual.',
  invalid_version_kind:
    'La primera versión es la publicación; las demás son revisiones, aclaraciones o correcciones.',
  version_content_mismatch: 'Cada versión necesita su contenido, menos una versión suprimida y la actual.',
  photo_of_other_coverage: 'Esto muestra una foto de otra cobertura.',
  unexpected_number: ({ next }) => `Los números suben de uno en uno: el siguiente es ${next}.`,
  update_exists: 'Una actualización con este identificador ya está aquí.',
  photo_order_mismatch: 'Indique las fotos del archivo que muestra el texto, en su orden.',
  revision_time_mismatch:
    'Indique la hora de revisión de una actualización con varias versiones, y de ninguna otra.',
  correction_time_mismatch:
    'Indique la hora de corrección de una actualización corregida, y de ninguna otra.',
  withdrawn_with_content: 'Una actualización retirada no tiene contenido.',
  withdrawn_without_version: 'Una actualización retirada necesita una versión anterior.',
  invalid_update: 'Esta actualización incumple una regla de la base de datos.',
  unexpected_seq: ({ next }) => `Los cambios suben de uno en uno: el siguiente es ${next}.`,
  change_kind_missing: 'Elija el tipo de cambio.',
  update_count_mismatch: ({ count, expected }) =>
    `Hay ${count} actualizaciones, donde la cobertura cuenta ${expected}.`,
  change_count_mismatch: ({ expected }) => `La cobertura cuenta ${expected} cambios, y no están todos.`,
  last_publication_mismatch: 'La última actualización se publicó a otra hora.',
  person_without_updates: 'Una persona no figura en ninguna actualización pública.',
  photo_without_update: 'Una foto no está en ninguna actualización pública.',
  change_mismatch: 'Los cambios de esta actualización no concuerdan con su contenido.',
  invalid_day: 'Indique un día, como 2026-03-01.',
  search_query_missing: 'Escriba una palabra que buscar.',
  no_searchable_word: 'Estas palabras son demasiado comunes para buscarlas. Escriba una más concreta.',
  rendition_missing: ({ name }) => `No hay ${name} en el almacén.`,
  call_not_understood: 'Esta petición no es válida. Recargue la página y envíela de nuevo.',
  invalid_address: 'Esta no es la dirección de una página web.',
  address_not_public: 'Esta dirección no es pública. Escriba una pública.',
  too_many_redirects: 'Esta dirección redirige demasiadas veces. Indique la dirección final.',
  page_not_found: 'No hay ninguna página en esta dirección. Compruébela.',
  not_a_web_page: 'Esta dirección no es de una página web.',
  page_too_large: 'Esta página es demasiado grande para leerla.',
  page_unreachable: 'Esta página no responde ahora. Inténtelo de nuevo en un momento.',
  not_csv: 'En esta dirección no hay un archivo CSV con una fila de nombres y filas de celdas.',
  not_a_post: 'Esta publicación no se puede leer automáticamente. Cópiela en los campos.',
  post_gone: 'Esta publicación ya no está allí.',
  post_too_long: 'Esta publicación es demasiado larga. Copie una parte en los campos.',
  wordpress_password_form: 'Escriba la contraseña de aplicación tal como la muestra WordPress.',
  wordpress_needs_https:
    'Escriba una dirección que empiece por https://, porque la contraseña se envía a ella.',
  wordpress_not_connected:
    'WordPress no está conectado. Un propietario escribe su dirección en los ajustes del sitio.',
  wordpress_password_lost:
    'La contraseña de WordPress ya no se puede leer porque cambiaron las claves del servidor. Un propietario la escribe de nuevo en los ajustes del sitio.',
  wordpress_password_refused:
    'WordPress rechazó el usuario o la contraseña. Cree allí una nueva contraseña de aplicación en el perfil del usuario y escríbala en los ajustes del sitio. Si la vuelve a rechazar, el alojamiento elimina la cabecera «Authorization»: pídale que la transmita.',
  wordpress_may_not_write:
    'El usuario de WordPress no puede escribir entradas. Dele allí el perfil de autor o editor.',
  wordpress_unreachable: 'WordPress no responde. Compruebe su dirección y si funciona, e inténtelo de nuevo.',
  wordpress_moved: ({ location }) =>
    `WordPress redirige a ${location}. Escriba en los ajustes del sitio la dirección a la que redirige.`,
  wordpress_not_understood:
    'La respuesta no procede de la interfaz REST de WordPress. Compruebe la dirección y si un plugin de seguridad o un cortafuegos bloquea /wp-json.',
  wordpress_draft_in_progress: 'Este borrador se está creando. Espere un momento y pulse de nuevo.',
  filing_token_form:
    'Escriba el token tal como lo muestra @BotFather: cifras, dos puntos y luego letras y cifras.',
  filing_needs_https:
    'Telegram solo entrega en direcciones con https://. Publique el sitio en una dirección pública y conecte después.',
  filing_not_connected: 'No hay ningún bot conectado. Un propietario lo conecta en los ajustes del sitio.',
  filing_token_lost:
    'El token del bot ya no se puede leer porque cambiaron las claves del servidor. Un propietario lo introduce otra vez en los ajustes del sitio.',
  filing_chat_missing:
    'Vincule primero su propio chat: cree un código en la página de su cuenta y envíelo al bot.',
  too_many_filing_codes: 'Ha creado diez códigos en una hora. Espere una hora y cree otro.',
  unknown_filing_channel: 'Este canal no se conoce.',
  telegram_token_refused: 'Telegram rechazó el token. Cópielo otra vez de @BotFather.',
  telegram_chat_closed:
    'Telegram no entregó el mensaje porque el chat con el bot está bloqueado. Ábralo y pulse Iniciar.',
  telegram_unreachable: 'Telegram no responde. Inténtelo de nuevo dentro de un momento.',
  telegram_refused: ({ description }) => `Telegram lo rechazó: ${description}.`,
  transfer_code_wrong:
    'Este código es incorrecto, ya se usó o tiene más de una hora. Cree uno nuevo en los ajustes del sitio.',
  transferred_logo_wrong: 'El logotipo ocupa más de 150 KB o no es un archivo en base64.',
  transferred_person_wrong: ({ position }) =>
    `La persona ${position} necesita un nombre de 60 caracteres como máximo y una dirección de correo.`,
  account_cannot_write: 'Su cuenta solo permite leer.',
  too_many_links: 'Demasiados enlaces a la vez. Espere un momento e inténtelo de nuevo.',
  account_exists: 'Ya hay una cuenta con esta dirección. Inicie sesión con ella y después acepte.',
  password_not_accepted: 'Esta contraseña no se puede usar. Elija una más larga.',
  account_not_created:
    'La cuenta no se puede crear ahora. Inténtelo de nuevo en un momento: la invitación sigue valiendo.',
  too_many_invitations: 'Demasiadas invitaciones en poco tiempo. Inténtelo más tarde.',
  photo_too_large: 'Esta foto es demasiado grande. Elija una de 20 MB como mucho.',
  photo_upload_unavailable:
    'La foto no se puede guardar ahora. Envíela de nuevo en un momento: su aviso se conserva y llega una sola vez.',
  photo_not_expected: 'Esta foto ya no se espera.',
  too_many_tips: 'Su red ha enviado muchísimos avisos. Inténtelo de nuevo dentro de una hora.',
  seq_after_last: 'El cambio de esta actualización es posterior al último cambio de la cobertura.',
  unknown_update_number: 'No hay ninguna actualización con este número.',
};
