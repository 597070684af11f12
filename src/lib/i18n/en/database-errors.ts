const updateName = (number: number | null) =>
  number === null ? 'an unpublished update' : `update ${number}`;

/**
 * The words of the interface for values of the database. Values without an entry are English words that the interface
 * uses too, such as `paused`, or are written in the files of an import.
 */
const CHOICES: Record<string, string> = {
  unverified: 'not verified',
  sockets: 'instantly',
  checks: 'by checks at an interval',
  auto: 'automatic',
  all: 'all tips',
};

const PHOTO_STATES: Record<string, string> = { ready: 'uploaded' };

/**
 * The reasons of errors, each with its sentence: `private.raise_error()` in the migrations or an edge function raises
 * them. Parameters of the sentence arrive in the `details` of the error, with `reason`, and `field` where the error is
 * about one.
 */
export const errorMessages = {
  sign_in_required: 'Sign in, then press again. Your text is kept.',
  idempotency_key_missing: 'Send a new idempotency key.',
  idempotency_key_reused: 'This idempotency key belongs to another command. Send a new one.',
  log_entry_not_found: 'This entry does not exist. Start again from the newest.',
  not_text: 'Send this as text.',
  invalid_line: ({ max }: { max: number }) => `Enter one line of at most ${max} characters.`,
  invalid_text: ({ max }: { max: number }) => `Enter a text of at most ${max} characters.`,
  not_an_object: 'Send the content as an object.',
  unknown_field: 'This field does not exist.',
  invalid_time: 'Enter a date and time with its zone, such as 2026-03-01T14:05:00Z.',
  time_in_future: 'Enter a time in the past.',
  unknown_choice: ({ choices }: { choices: string[] }) =>
    `Choose one of: ${choices.map((choice) => `“${CHOICES[choice] ?? choice}”`).join(', ')}.`,
  integer_out_of_range: ({ min, max }: { min: number; max: number }) =>
    `Enter a whole number from ${min} to ${max}.`,
  body_not_a_list: 'Send the text as a list of blocks.',
  text_missing: 'Write something first.',
  too_many_blocks: ({ max, count }: { max: number; count: number }) =>
    `This has ${count} blocks. Use at most ${max}.`,
  too_many_characters: ({ max, count }: { max: number; count: number }) =>
    `This has ${count} characters. Use at most ${max}.`,
  body_too_large: 'Shorten this, or use fewer links and less formatting.',
  photo_in_summary: 'A summary cannot contain photos. Put them into updates.',
  duplicate_photo: 'Use each photo once.',
  table_too_large: ({ rows, columns }: { rows: number; columns: number }) =>
    `A table has at most ${rows} rows and ${columns} columns.`,
  too_many_csv_tables: ({ max }: { max: number }) =>
    `At most ${max} tables of a coverage can be read from CSV addresses. Remove an address.`,
  invalid_map: ({ max }: { max: number }) =>
    `A map has a name of at most ${max} characters, a latitude up to 90 and a longitude up to 180, with at most five decimals.`,
  media_address: 'Use the address of one video or recording at YouTube, Vimeo, TikTok or SoundCloud.',
  invalid_block:
    'Each block is a paragraph, list, quote, link, table, post, video or recording with text in it, a map or a photo; links are http or https.',
  not_boolean: 'Send true or false.',
  invalid_bylines: ({ max }: { max: number }) => `Choose at most ${max} different members of staff.`,
  invalid_note: ({ max }: { max: number }) => `Tell readers what changed or why, in 1 to ${max} characters.`,
  not_found_or_hidden: 'This does not exist, or you may not see it.',
  import_in_progress: 'This coverage is being imported. Wait until the import has ended.',
  id_taken: 'This id is in use. Create a new one; your text is kept.',
  permission_missing: 'Your role does not allow this. Ask an editor. Your text is kept.',
  update_id_missing: 'Send an id made for this update.',
  canonical_url_wrong: 'Enter an address that begins with https://, without a part after #.',
  photo_not_published: 'Choose a photo of a published update of this coverage.',
  file_outside_update: 'Videos and audio files can only be in updates. Put them into one.',
  file_unavailable:
    'One of the videos or recordings no longer exists, is not yours, or its line was changed. Remove it, or add it again.',
  file_description_missing:
    'Describe each video or recording: below its title, write lines that begin with “: ”.',
  photo_unavailable: 'One of the photos no longer exists or is not yours. Remove it, or add it again.',
  alt_text_missing: 'Write alt text for each photo.',
  urgent_needs_editor: 'Only editors can mark an update urgent. Choose important, or ask an editor.',
  version_outdated: 'Not saved. Another person changed this first. Compare the two, then save again.',
  coverage_not_publishing:
    'The coverage does not accept updates in this state. Change its state first. Your text is kept.',
  update_not_waiting: 'This update no longer waits at the desk. Open it again to see its state.',
  update_not_draft: 'This update was submitted or scheduled already.',
  update_withdrawn: 'This update was withdrawn. Publish a new one instead.',
  update_not_published: 'This update is not published yet.',
  invalid_revision_kind: 'Choose clarification or correction.',
  update_not_pinnable: 'Only a published update of this coverage can be pinned.',
  invalid_slug: ({ min, max }: { min: number; max: number }) =>
    `Use ${min} to ${max} of a-z, 0-9 and single hyphens.`,
  headline_missing: 'Write a headline.',
  invalid_time_zone: 'Choose a time zone from the list.',
  invalid_language: 'Choose a language from the list.',
  scheduled_without_start: 'A scheduled coverage needs a start time.',
  slug_taken: 'This slug belongs to another coverage. Choose a different one.',
  invalid_topics: ({ max }: { max: number }) => `Choose at most ${max} existing topics.`,
  front_page_too_long: ({ max }: { max: number }) => `Choose at most ${max} coverages for the front page.`,
  front_page_repeats_coverage: 'Choose each coverage once.',
  front_page_coverage_not_public: 'Choose only coverages that readers can see.',
  coverage_id_missing: 'Send an id made for this coverage.',
  invalid_state_change: ({ state, new_state }: { state: string; new_state: string | null }) =>
    `A coverage cannot go from ${state} to ${new_state ?? 'nothing'}.`,
  start_time_missing: 'Enter the start time before you schedule it.',
  coverage_not_live: 'Only a live coverage can be continued.',
  invalid_expiry: 'Enter the day on which it ends.',
  person_not_contributor: 'Only contributors are added to a coverage. Other staff have access by their role.',
  invalid_topic_name: ({ max }: { max: number }) => `A name is one line of 1 to ${max} characters.`,
  invalid_topic_description: ({ max }: { max: number }) => `A description has at most ${max} characters.`,
  invalid_accent_colour: 'Enter a colour as #rrggbb, or leave it empty for the default.',
  contrast_too_low: ({ contrast, min }: { contrast: number; min: number }) =>
    `This colour has a contrast of ${contrast} with the background. Text needs ${min}.`,
  site_image_missing: 'This image was deleted. Choose the file again.',
  site_image_wrong: 'Send the image as the site cleaned it.',
  site_link_wrong: ({ max }: { max: number }) =>
    `Enter a label of at most ${max} characters, and an address that begins with https:// or /, of at most 300 characters.`,
  menu_not_a_list: 'Send the menu as a list of links.',
  menu_too_long: ({ max }: { max: number }) => `The menu has room for ${max} links.`,
  menu_link_wrong: ({ max }: { max: number }) =>
    `Enter a label of at most ${max} characters, and an address that begins with https:// or /, of at most 300 characters.`,
  embed_origins_not_a_list: 'Send the sites as a list of texts.',
  embed_wildcard_not_alone: 'The entry * stands for any site. Remove the other entries, or remove it.',
  too_many_embed_origins: ({ max }: { max: number }) => `Enter at most ${max} sites.`,
  invalid_embed_origin:
    'Enter each site as https://example.com, or as https://*.example.com for its subdomains.',
  site_name_missing: 'Enter a name for the site.',
  photo_in_about: 'This text cannot contain photos.',
  surge_mode_missing: 'Choose how readers get updates.',
  last_owner: 'The last owner cannot be removed. Make another person an owner first.',
  role_missing: 'Choose a role.',
  person_not_found: 'This person does not exist.',
  list_changed: 'The list has changed. Start again from its beginning.',
  publication_time_missing: 'Enter the time of publication, with its zone.',
  item_id_missing: 'Send an id made for this item.',
  photo_not_imported: 'Import the photos before the updates that show them, each with its alt text.',
  session_ended: 'You have been signed out. Sign in again; your text is kept.',
  account_inactive: 'This account is not active. Ask an owner.',
  invalid_name: ({ max }: { max: number }) => `Enter a name of 1 to ${max} characters.`,
  invalid_code_hash: 'Send the SHA-256 of the code in hexadecimal.',
  setup_finished: 'This newsroom already has an owner. Sign in instead.',
  setup_code_wrong: 'This is not the newest code. Copy the code from the server’s log again.',
  public_photo_without_alt_text: 'This photo is published. Write alt text for it.',
  file_id_missing: 'Send an id made for this file.',
  file_format: 'Send mp4, webm, mp3 or m4a.',
  file_length: 'The length must be 1 to 99,999 seconds.',
  too_many_unused_files: ({ max }: { max: number }) =>
    `Within a day you uploaded ${max} videos or recordings that are in no update. Add them to an update, or upload more tomorrow.`,
  file_in_other_coverage: ({ file }: { file: string }) =>
    `${file} exists already, in another coverage or with another size.`,
  file_missing: ({ file }: { file: string }) => `${file} is not in storage.`,
  photo_id_missing: 'Send an id made for this photo.',
  photo_already_processed: ({ state }: { state: string }) =>
    `This photo is ${PHOTO_STATES[state] ?? state} already.`,
  invalid_renditions: 'Send the renditions with width, height and bytes, the smallest first.',
  invalid_placeholder_colour: 'Send a colour as #0a1b2c.',
  invalid_error_code: 'Send a code of the error catalogue.',
  photo_of_another_person: 'Another person is uploading this photo.',
  invalid_receipt: 'Send a secret of at least 32 characters of A-Z, a-z, 0-9, _ and -.',
  schedule_time_in_past: 'Enter a time in the future, or publish now.',
  schedule_time_too_late: ({ max_days }: { max_days: number }) => `Enter a time within ${max_days} days.`,
  coverage_closed: 'This coverage accepts no more updates. Your text is kept.',
  update_not_scheduled: 'This update is not scheduled.',
  version_without_content: 'The content of this version was removed already.',
  version_is_current:
    'This is the current version. Change the update or withdraw it, then redact this version.',
  photo_already_removed: 'This photo was removed already.',
  photo_in_other_updates: ({ updates }: { updates: (number | null)[] }) =>
    `Updates of other people show this photo too: ${updates.map(updateName).join(', ')}. Ask an editor.`,
  update_shows_both_photos: ({ number }: { number: number | null }) =>
    `An update shows both photos: ${updateName(number)}. Remove one of them there.`,
  update_shows_only_photo: ({ number }: { number: number | null }) =>
    `An update contains only this photo: ${updateName(number)}. Withdraw that update instead.`,
  waiting_update_shows_only_photo: 'An unpublished update contains only this photo. Spike that update first.',
  replacement_unavailable: 'The new photo does not exist or is not yours. Choose it again.',
  replacement_not_ready: 'The new photo is not uploaded. Choose it again.',
  invited_account_inactive: 'The account with this address is deactivated. Activate it first.',
  role_already_given: 'This person has that role, or a higher one, already.',
  invite_id_missing: 'Send an id made for this invitation.',
  invalid_token_hash: 'Send the SHA-256 of a secret in hexadecimal.',
  invalid_email: 'Enter an e-mail address, such as name@example.com.',
  invite_role_missing: 'Choose a role. Reading needs no invitation.',
  invite_coverage_missing: 'Choose the coverage that the person will write for.',
  already_invited: 'This address is invited already. Send that invitation again, or revoke it first.',
  invite_expired: 'This invitation has expired. Ask for another.',
  invite_not_pending: ({ state }: { state: string }) => `This invitation has been ${state} already.`,
  invite_for_another_address: 'This invitation is for another address. Sign in with that account.',
  export_not_begun: 'Start an export first. It can be downloaded for a day.',
  tip_in_review: 'Another person has this tip in review. Leave it to them, or take it over first.',
  tip_already_open: 'This tip is open already.',
  tip_already_handled: 'Another person has handled this tip.',
  tip_version_outdated: 'Another person has changed this tip. Check it, then press again.',
  person_handles_no_tips: 'Choose a person who handles tips.',
  invalid_tip_result: 'Choose declined or spam.',
  tip_photo_unavailable: 'The photo of this tip cannot be used. Leave it out.',
  tip_update_published: 'The update that was made from this tip is published. Withdraw that update instead.',
  invalid_push_public_key: 'Send a P-256 public key in base64url.',
  invalid_push_private_key: 'Send a P-256 private key in base64url.',
  follow_target_missing: 'Choose a coverage or a topic.',
  follow_scope_missing: 'Choose all updates or key events.',
  too_many_follows: ({ max }: { max: number }) =>
    `You can follow at most ${max} coverages and topics. Unfollow one first.`,
  device_of_an_account: 'This browser shows the alerts of an account. Turn its alerts off and on again.',
  too_many_new_devices:
    'Too many devices on your network have asked for alerts. Try again in an hour, or choose e-mail.',
  too_many_follow_requests: 'Too many people have asked for alerts by e-mail. Try again in an hour.',
  no_alert_mail: 'This newsroom sends no e-mail. Choose alerts on this device.',
  unknown_push_service:
    'The push service of this browser is not supported. Choose e-mail, or another browser.',
  invalid_push_key: 'The key of this browser is not valid. Turn alerts off and on again.',
  coverage_withdrawn: 'This coverage was withdrawn.',
  integer_too_small: ({ min }: { min: number }) => `Enter a whole number of at least ${min}.`,
  invalid_list: ({ max }: { max: number }) => `Send a list of at most ${max} entries.`,
  invalid_list_item: 'Each entry of the list is an object with known fields only.',
  state_not_public: 'Only public coverages and updates can be imported.',
  publication_time_mismatch: 'Give the publication time of a coverage that has begun, and of no other.',
  end_time_mismatch: 'Give the end of a coverage that has ended, and of no other.',
  updates_before_start: 'Nothing is published before a coverage begins.',
  invalid_person: 'Each person needs a valid handle, name and bio.',
  duplicate_entry: 'Name each entry only once.',
  person_not_author: 'One of these people has an account here and is not an author.',
  invalid_earlier_slug: 'Each slug must be a valid slug of a coverage.',
  imported_slug_taken: ({ slug }: { slug: string }) =>
    `The slug ${slug} belongs to another coverage here. Give a different one.`,
  current_slug_missing: 'The slugs must contain the current slug of the coverage.',
  photo_in_other_coverage: ({ photo }: { photo: string }) =>
    `The photo ${photo} is here already, in another coverage.`,
  invalid_topic: 'Each topic needs a valid slug, name and description.',
  unknown_format: 'This version cannot read this coverage folder. It may come from a newer version.',
  coverage_newer_than_import: ({ seq, imported_seq }: { seq: number; imported_seq: number }) =>
    `This coverage exists here with newer changes: change ${seq}, where the folder has ${imported_seq}.`,
  coverage_differs_from_import:
    'This coverage exists here with different content. An import does not merge the two.',
  import_ended: 'This import has ended. Start again from the beginning.',
  invalid_imported_bylines: ({ max }: { max: number }) => `Name at most ${max} people of the file.`,
  version_order: 'Version numbers go up to the current version.',
  invalid_version_kind:
    'The first version is the publication; others are revisions, clarifications or corrections.',
  version_content_mismatch: 'Each version needs its content, except a redacted version and the current one.',
  photo_of_other_coverage: 'This shows a photo of another coverage.',
  unexpected_number: ({ next }: { next: number }) => `Numbers go up by one: the next is ${next}.`,
  update_exists: 'An update of this id is here already.',
  photo_order_mismatch: 'Name the photos of the file that the body shows, in its order.',
  revision_time_mismatch: 'Give the revision time of an update with several versions, and of no other.',
  correction_time_mismatch: 'Give the correction time of a corrected update, and of no other.',
  withdrawn_with_content: 'A withdrawn update has no content.',
  withdrawn_without_version: 'A withdrawn update needs an earlier version.',
  invalid_update: 'This update breaks a rule of the database.',
  unexpected_seq: ({ next }: { next: number }) => `Changes go up by one: the next is ${next}.`,
  change_kind_missing: 'Choose the kind of change.',
  update_count_mismatch: ({ count, expected }: { count: number; expected: number }) =>
    `There are ${count} updates, where the coverage counts ${expected}.`,
  change_count_mismatch: ({ expected }: { expected: number }) =>
    `The coverage counts ${expected} changes, and not all of them are there.`,
  last_publication_mismatch: 'The last update was published at a different time.',
  person_without_updates: 'A person is not named on any public update.',
  photo_without_update: 'A photo is not in any public update.',
  change_mismatch: 'The changes of this update do not match its content.',
  invalid_day: 'Enter a day, such as 2026-03-01.',
  search_query_missing: 'Enter a word to search for.',
  no_searchable_word: 'These words are too common to search for. Enter a more specific word.',
  rendition_missing: ({ name }: { name: string }) => `There is no ${name} in storage.`,
  call_not_understood: 'This request is not valid. Reload the page, then send it again.',
  invalid_address: 'This is not the address of a web page.',
  address_not_public: 'This address is not public. Enter a public one.',
  too_many_redirects: 'This address has too many redirects. Enter the final address.',
  page_not_found: 'There is no page at this address. Check it.',
  not_a_web_page: 'This address is not a web page.',
  page_too_large: 'This page is too large to read.',
  page_unreachable: 'This page does not respond. Try again in a moment.',
  not_csv: 'This address does not return a CSV file with a row of names and rows of cells.',
  not_a_post: 'This post cannot be read automatically. Copy it into the fields.',
  post_gone: 'This post is no longer there.',
  post_too_long: 'This post is too long. Copy a part of it into the fields.',
  wordpress_password_form: 'Enter the application password as WordPress shows it.',
  wordpress_needs_https: 'Enter an address that begins with https://, because the password is sent to it.',
  wordpress_not_connected:
    'WordPress is not connected. An owner enters its address in the settings of the site.',
  wordpress_password_lost:
    'The password of WordPress can no longer be read, because the keys of the server changed. An owner enters it again in the settings of the site.',
  wordpress_password_refused:
    'WordPress refused the user or the password. Make a new application password in the user’s profile there, and enter it in the settings of the site. If it is refused again, the host removes the header “Authorization”: ask the host to pass it on.',
  wordpress_may_not_write:
    'The user of WordPress may not write posts. Give the user the role author or editor there.',
  wordpress_unreachable: 'WordPress does not respond. Check its address and whether it runs, then try again.',
  wordpress_moved: ({ location }: { location: string }) =>
    `WordPress redirects to ${location}. Enter the address to which it redirects in the settings of the site.`,
  wordpress_not_understood:
    'The answer does not come from WordPress’s REST interface. Check the address, and whether a security plugin or a firewall blocks /wp-json.',
  wordpress_draft_in_progress: 'This draft is being made. Wait a moment, then press again.',
  filing_token_form: 'Enter the token as @BotFather shows it: digits, a colon, then letters and digits.',
  filing_needs_https:
    'Telegram delivers to addresses with https:// only. Run the site with a public address, then connect.',
  filing_not_connected: 'No bot is connected. An owner connects one in the settings of the site.',
  filing_token_lost:
    'The token of the bot can no longer be read, because the keys of the server changed. An owner enters it again in the settings of the site.',
  filing_chat_missing: 'Link your own chat first: make a code on your account page and send it to the bot.',
  too_many_filing_codes: 'You have made ten codes within an hour. Wait an hour, then make another one.',
  unknown_filing_channel: 'This channel is not known.',
  telegram_token_refused: 'Telegram refused the token. Copy it again from @BotFather.',
  telegram_chat_closed:
    'Telegram did not deliver the message, because the chat with the bot is blocked. Open it and press Start.',
  telegram_unreachable: 'Telegram does not respond. Try again in a moment.',
  telegram_refused: ({ description }: { description: string }) => `Telegram refused this: ${description}.`,
  transfer_code_wrong:
    'This code is wrong, used, or older than an hour. Make a new one in the settings of the site.',
  transferred_logo_wrong: 'The logo is larger than 150 KB, or is not a file in base64.',
  transferred_person_wrong: ({ position }: { position: number }) =>
    `Person ${position} needs a name of at most 60 characters and an e-mail address.`,
  account_cannot_write: 'Your account can only read.',
  too_many_links: 'Too many links at once. Wait a moment, then try again.',
  account_exists: 'There is an account with this address. Sign in with it, then accept.',
  password_not_accepted: 'This password cannot be used. Choose a longer one.',
  account_not_created: 'The account could not be created. Try again in a moment: the invitation stays valid.',
  too_many_invitations: 'Too many invitations in a short time. Try again later.',
  photo_too_large: 'This photo is too large. Choose one of at most 20 MB.',
  photo_upload_unavailable:
    'The photo cannot be stored right now. Send it again in a moment: your tip is saved and arrives once.',
  photo_not_expected: 'This photo is no longer expected.',
  too_many_tips: 'Your network has sent very many tips. Try again in an hour.',
  seq_after_last: 'The change of this update is newer than the last change of the coverage.',
  unknown_update_number: 'There is no update with this number.',
};

/** A sentence for each reason. It is a function where the sentence has parameters. */
export type ErrorMessages = typeof errorMessages;
