<?php
/**
 * Spanish texts by English text.
 *
 * @package Stoppress
 */

defined( 'ABSPATH' ) || exit;

return array(
	'A server answers at this address, but it is no Stoppress site. Check the address. Stoppress must be of a version that offers its coverages to WordPress.' => 'En esta dirección responde un servidor, pero no es un sitio de Stoppress. Compruebe la dirección. La versión de Stoppress debe ofrecer sus coberturas a WordPress.',
	'Address of the site'                           => 'Dirección del sitio',
	'As of %s. The live page cannot be reached.'    => 'Actualizado a las %s. No se puede acceder a la página en directo.',
	'Choose a coverage'                             => 'Elija una cobertura',
	'Connected. Coverages: %s.'                     => 'Conectado. Coberturas: %s.',
	'Coverage'                                      => 'Cobertura',
	'Enter an address such as https://live.example.com.' => 'Escriba una dirección como https://live.example.com.',
	'Enter only the address of the site, without a path.' => 'Escriba solo la dirección del sitio, sin ruta.',
	'Enter the address of your site in Settings → Live coverage.' => 'Escriba la dirección de su sitio en Ajustes → Cobertura en directo.',
	'Layout'                                        => 'Diseño',
	'Level of the first heading'                    => 'Nivel del primer encabezado',
	'Live coverage'                                 => 'Cobertura en directo',
	'Loading the coverages…'                        => 'Cargando las coberturas…',
	'New updates'                                   => 'Actualizaciones nuevas',
	'Newest three updates'                          => 'Las tres últimas actualizaciones',
	'No post shows this part.'                      => 'Ninguna entrada muestra esta parte.',
	'Not connected.'                                => 'Sin conexión.',
	'Number of updates'                             => 'Número de actualizaciones',
	'One line'                                      => 'Una línea',
	'Open the live page'                            => 'Abrir la página en directo',
	'Search engines then find the coverage here. Enter the address of this post as canonical address in the settings of the coverage, too.' => 'Los buscadores encontrarán aquí la cobertura. Escriba también la dirección de esta entrada como dirección canónica en los ajustes de la cobertura.',
	'Settings'                                      => 'Ajustes',
	'Shows a live coverage of your Stoppress site.' => 'Muestra una cobertura en directo de su sitio de Stoppress.',
	'Summary'                                       => 'Resumen',
	'Summary and updates'                           => 'Resumen y actualizaciones',
	'The address must begin with https://.'         => 'La dirección debe empezar por https://.',
	'The address of your Stoppress site. It needs https.' => 'La dirección de su sitio de Stoppress. Necesita https.',
	'The certificate of the site is not valid for WordPress. Renew it, or add the missing intermediate certificate.' => 'El certificado del sitio no es válido para WordPress. Renuévelo o añada el certificado intermedio que falta.',
	'The host name is unknown. Check the address and its DNS entry.' => 'El nombre del servidor no existe. Compruebe la dirección y su registro DNS.',
	'The live coverage cannot be shown at the moment.' => 'La cobertura en directo no se puede mostrar en este momento.',
	'The site is not available at the moment (status %d). Try again in a minute.' => 'El sitio no está disponible en este momento (estado %d). Inténtelo de nuevo dentro de un minuto.',
	'The site does not answer. Check that it runs, and that the firewall lets WordPress reach it.' => 'El sitio no responde. Compruebe que está en marcha y que el cortafuegos permite la conexión desde WordPress.',
	'The site has no coverage yet.'                 => 'El sitio aún no tiene ninguna cobertura.',
	'The site redirects to %s. Enter the address of the site that answers.' => 'El sitio redirige a %s. Escriba la dirección del sitio que responde.',
	'This WordPress blocks outgoing requests. Add %s to WP_ACCESSIBLE_HOSTS in wp-config.php.' => 'Este WordPress bloquea las conexiones salientes. Añada %s a WP_ACCESSIBLE_HOSTS en wp-config.php.',
	'This live coverage is not available.'          => 'Esta cobertura en directo no está disponible.',
	'This post is the main address of the coverage' => 'Esta entrada es la dirección principal de la cobertura',
);
