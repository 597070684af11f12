<?php
/**
 * Plugin Name:       Stoppress Live Coverage
 * Description:       Shows a live coverage of your Stoppress site in a post: rendered by WordPress, updated while readers read.
 * Version:           0.1.0
 * Requires at least: 6.4
 * Requires PHP:      7.4
 * Author:            Stoppress
 * License:           GPL-2.0-or-later
 * License URI:       https://www.gnu.org/licenses/gpl-2.0.html
 * Text Domain:       stoppress
 *
 * @package Stoppress
 */

namespace Stoppress;

defined( 'ABSPATH' ) || exit;

const VERSION = '0.1.0';

require __DIR__ . '/includes/site.php';
require __DIR__ . '/includes/fragment.php';
require __DIR__ . '/includes/copies.php';
require __DIR__ . '/includes/block.php';
require __DIR__ . '/includes/routes.php';
require __DIR__ . '/includes/settings.php';
require __DIR__ . '/includes/identity.php';
require __DIR__ . '/includes/transfer.php';
require __DIR__ . '/includes/translations.php';

add_action( 'init', 'Stoppress\register_block' );
add_action( 'wp_footer', 'Stoppress\print_structured_data' );
add_action( 'rest_api_init', 'Stoppress\register_routes' );
add_action( 'admin_init', 'Stoppress\register_settings' );
add_action( 'admin_menu', 'Stoppress\add_settings_page' );
add_action( 'admin_post_stoppress_transfer', 'Stoppress\handle_transfer' );
add_filter( 'plugin_action_links_' . plugin_basename( __FILE__ ), 'Stoppress\add_settings_link' );
add_filter( 'gettext_stoppress', 'Stoppress\translate', 10, 2 );
