/** The shortest way to check a request in each language; the guide explains them. */
export const verifySamples = [
  {
    value: 'node',
    label: 'Node',
    language: 'JavaScript',
    text: `import { verifyWebhook } from '@clarion/sdk/node';

app.post('/clarion', express.raw({ type: 'application/json' }), (request, response) => {
  let event;
  try {
    event = verifyWebhook(
      { headers: request.headers, body: request.body }, // the raw bytes
      process.env.CLARION_WEBHOOK_SECRET,
    );
  } catch {
    return response.sendStatus(400);
  }
  response.sendStatus(204); // respond first
  handle(event); // then process; de-duplicate on event.event_id
});`,
  },
  {
    value: 'python',
    label: 'Python',
    language: 'Python',
    text: `import hashlib, hmac, time

def signature_matches(body: bytes, header: str, secret: str) -> bool:
    parts = [part.strip().partition("=")[::2] for part in header.split(",")]
    times = [value for name, value in parts if name == "t"]
    if len(times) != 1 or not times[0].isdigit() or abs(time.time() - int(times[0])) > 300:
        return False
    expected = hmac.new(secret.encode(), times[0].encode() + b"." + body, hashlib.sha256).hexdigest()
    return any(hmac.compare_digest(value.encode(), expected.encode()) for name, value in parts if name == "v1")

# header: request.headers["X-Clarion-Signature"], body: the raw bytes`,
  },
  {
    value: 'php',
    label: 'PHP',
    language: 'PHP',
    text: `function signature_matches(string $body, string $header, string $secret): bool {
    $times = []; $given = [];
    foreach (explode(',', $header) as $part) {
        [$name, $value] = array_pad(explode('=', trim($part), 2), 2, '');
        if ($name === 't') $times[] = $value;
        if ($name === 'v1') $given[] = $value;
    }
    if (count($times) !== 1 || !ctype_digit($times[0]) || abs(time() - (int) $times[0]) > 300) return false;
    $expected = hash_hmac('sha256', $times[0] . '.' . $body, $secret);
    foreach ($given as $value) if (hash_equals($expected, $value)) return true;
    return false;
}

// $header: $_SERVER['HTTP_X_CLARION_SIGNATURE'], $body: file_get_contents('php://input')`,
  },
] as const;
