<?php
// Prints one line for each event that Tenure delivers. Start: SIGNING_SECRET=whsec_… php -d display_errors=0 -S 127.0.0.1:5000 php.php
declare(strict_types=1);

/** Throws unless $body, as it arrived, was signed with the secret, no more than five minutes from now. */
function verify(string $header, string $body, string $secret): void
{
    $fields = [];
    foreach (explode(',', $header) as $part) {
        [$name, $value] = explode('=', $part, 2) + [1 => ''];
        $fields[$name] = $value;
    }
    $timestamp = $fields['t'] ?? '';
    $signature = $fields['v1'] ?? '';
    if (!preg_match('/\A[0-9]{1,12}\z/', $timestamp) || $signature === '') {
        throw new UnexpectedValueException('missing or malformed Service-Signature');
    }
    if (abs(time() - (int) $timestamp) > 300) {
        throw new UnexpectedValueException('timestamp more than 5 minutes away');
    }
    if (!hash_equals(hash_hmac('sha256', $timestamp . '.' . $body, $secret), $signature)) {
        throw new UnexpectedValueException('wrong signature');
    }
}

function finish(int $status, string $line): void
{
    file_put_contents('php://stdout', $line . "\n");
    http_response_code($status);
    exit;
}

http_response_code(500); // Until all went well: PHP would answer 200 to an error that it displays.
$secret = (string) getenv('SIGNING_SECRET');
if ($secret === '') {
    finish(500, 'SIGNING_SECRET is missing: set it to the whsec_… of your webhook endpoint.');
}
if ($_SERVER['REQUEST_METHOD'] !== 'POST') {
    http_response_code(405);
    exit;
}
try {
    $body = file_get_contents('php://input', false, null, 0, 1_000_001);
    if (strlen($body) > 1_000_000) {
        throw new UnexpectedValueException('body over 1 MB');
    }
    verify($_SERVER['HTTP_SERVICE_SIGNATURE'] ?? '', $body, $secret);
    $event = json_decode($body, true, 512, JSON_THROW_ON_ERROR);
} catch (UnexpectedValueException | JsonException $error) {
    finish(400, 'refused: ' . $error->getMessage());
}
// Events can arrive more than once. PHP forgets everything between requests, so the sketch marks each with an empty file: keep
// the ids in your database, together with what you did.
$marker = sys_get_temp_dir() . '/tenure-event-' . hash('sha256', $event['id']);
if (@fopen($marker, 'x') !== false) {
    finish(204, "verified {$event['id']} {$event['type']} {$event['data']['object']['id']}");
} elseif (file_exists($marker)) {
    finish(204, "duplicate {$event['id']}");
}
finish(500, "could not write $marker");
