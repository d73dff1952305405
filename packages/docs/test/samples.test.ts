/** The code that people copy: run in its own language, held against our signer and a reader of tokens that is not ours. */
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { signatureHeaders } from '@clarion/core/event/signature';
import { verifyAgentToken } from '@clarion/core/agent/verify-agent-token';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { codeBlocks, pageOf } from './docs.ts';

const run = promisify(execFile);
const secret = 'whsec_4vE1zq7B0o2gk1yV7aJxMhQ0b8Jv7d1m3N5kQ2sXw9E=';
const older = 'whsec_Zm9yIHRoZSBvbGRlciBzZWNyZXQsIDMyIGJ5dGVzISE=';
const body =
  '{"event_id":"1","event_type":"call.ended","data":{"call":{"customer":{"name":"Zoë – \\u0000"}}}}';
const at = new Date('2026-01-05T09:00:00.000Z');
const TOLERANCE_SECONDS = 300;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'clarion-docs-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a request looks like, and whether a receiver with `secret` must take it. */
interface Request {
  name: string;
  body: string;
  headers: Record<string, string>;
  now: number;
  taken: boolean;
}

function requests(): Request[] {
  const lower = (headers: Record<string, string>) =>
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const signed = (...secrets: [string, ...string[]]) =>
    lower(signatureHeaders({ id: 'msg_1', body, at }, secrets));
  const only = (headers: Record<string, string>, own: boolean) =>
    Object.fromEntries(Object.entries(headers).filter(([name]) => (name === 'x-clarion-signature') === own));
  const seconds = at.getTime() / 1000;
  const both = ['X-Clarion-Signature', 'Standard Webhooks'].flatMap((form, index) => {
    const own = index === 0;
    const make = (name: string, more: Partial<Request>): Request => ({
      name: `${form}: ${name}`,
      body,
      headers: only(signed(secret), own),
      now: seconds,
      taken: false,
      ...more,
    });
    return [
      make('signed', { taken: true }),
      make('signed by two while the secret rotates, the new one first', {
        headers: only(signed(secret, older), own),
        taken: true,
      }),
      make('signed by two while the secret rotates, the old one first', {
        headers: only(signed(older, secret), own),
        taken: true,
      }),
      make('signed by another secret', { headers: only(signed(older), own) }),
      make('with a changed body', { body: body.replace('1', '2') }),
      make('at the edge of the tolerance', { now: seconds + TOLERANCE_SECONDS, taken: true }),
      make('a second too old', { now: seconds + TOLERANCE_SECONDS + 1 }),
      make('a second too far ahead', { now: seconds - TOLERANCE_SECONDS - 1 }),
    ];
  });
  const odd = (name: string, headers: Record<string, string>): Request => ({
    name,
    body,
    headers,
    now: seconds,
    taken: false,
  });
  return [
    ...both,
    odd('without a signature', {}),
    odd('with a signature that is none', { 'x-clarion-signature': 'v1=,t=,=' }),
    odd('with a time that is none', { 'x-clarion-signature': 't=NaN,v1=00' }),
    odd('with two times', { 'x-clarion-signature': `t=1,${signed(secret)['x-clarion-signature']}` }),
  ];
}

const sample = (page: string, label: string) => {
  const found = codeBlocks(pageOf(page)).find((block) => block.label === label);
  if (!found) throw new Error(`${page} has no sample for ${label}`);
  return found.text;
};

const has = (command: string, ...versionArgs: string[]) => {
  try {
    execFileSync(command, versionArgs, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

/** A program in each language around the sample: reads the cases, prints one `true` or `false` each. */
const programs = {
  Node: {
    present: true,
    file: 'verify.mjs',
    source: (code: string) => `import { readFileSync } from 'node:fs';
${code}
for (const { body, headers, now } of JSON.parse(readFileSync(process.argv[2], 'utf8')))
  console.log(verifyClarion(Buffer.from(body), headers, ${JSON.stringify(secret)}, now) !== null);`,
    command: [process.execPath],
  },
  Python: {
    present: has('python3', '--version'),
    file: 'verify.py',
    source: (code: string) => `${code}
import sys
for case in json.load(open(sys.argv[1])):
    print("true" if verify_clarion(case["body"].encode(), case["headers"], ${JSON.stringify(secret)}, case["now"]) is not None else "false")
`,
    command: ['python3'],
  },
  PHP: {
    present: has('php', '--version'),
    file: 'verify.php',
    source: (code: string) => `${code}
foreach (json_decode(file_get_contents($argv[1]), true) as $case)
  echo verify_clarion($case['body'], $case['headers'], ${JSON.stringify(secret)}, (int) $case['now']) !== null ? "true\\n" : "false\\n";
`,
    command: ['php'],
  },
  Go: {
    present: has('go', 'version'),
    file: 'main.go',
    source: (code: string) =>
      `${code
        .replace('package clarion', 'package main')
        .replace('import (', 'import (\n\t"encoding/json"\n\t"fmt"\n\t"os"')}
func main() {
	var cases []struct { Body string; Headers map[string]string; Now int64 }
	raw, _ := os.ReadFile(os.Args[1])
	json.Unmarshal(raw, &cases)
	for _, one := range cases {
		headers := http.Header{}
		for name, value := range one.Headers { headers.Set(name, value) }
		fmt.Println(Verify([]byte(one.Body), headers, ${JSON.stringify(secret)}, time.Unix(one.Now, 0)))
	}
}
`,
    command: ['go', 'run'],
  },
} as const;

const languages = ['Node', 'Python', 'PHP', 'Go'] as const;

describe('the function that verifies a webhook', () => {
  test.for(languages)(
    'in %s takes what is ours and nothing else',
    { timeout: 60_000 },
    async (label, { skip }) => {
      const program = programs[label];
      const text = program.source(sample('guides/webhooks', label));
      if (!program.present) skip(`${label} is not on this machine`);
      const cases = requests();
      const [casesFile, file] = [join(folder, `${label}.json`), join(folder, program.file)];
      writeFileSync(casesFile, JSON.stringify(cases));
      writeFileSync(file, text);
      const [command = '', ...args] = program.command;
      const { stdout } = await run(command, [...args, file, casesFile]);
      const said = stdout.trim().split('\n');
      expect(cases.map(({ name }, at) => `${name}: ${said[at]}`)).toEqual(
        cases.map(({ name, taken }) => `${name}: ${taken}`),
      );
    },
  );
});

const claims = ['acme', 'k1', 'a signing secret, as it was shown', 'north', 'ada', 'Ada Byron', 'SUPERVISOR'];
const quoted = claims.map((claim) => JSON.stringify(claim)).join(', ');

const signers = {
  Node: (code: string) => `${code}
console.log(signAgentToken({ account: 'acme', kid: 'k1', secret: ${JSON.stringify(claims[2])} },
  { tenantRef: 'north', agentRef: 'ada', name: 'Ada Byron', role: 'SUPERVISOR' }));`,
  Python: (code: string) => `${code}\nprint(sign_agent_token(${quoted}))\n`,
  PHP: (code: string) => `${code}\necho sign_agent_token(${quoted});`,
  Go: (
    code: string,
  ) => `${code.replace('package clarion', 'package main').replace('import (', 'import (\n\t"fmt"')}
func main() { token, _ := SignAgentToken(${quoted}); fmt.Println(token) }`,
} as const;

describe('the function that signs an agent token', () => {
  test.for(languages)(
    'in %s makes one that the service takes',
    { timeout: 60_000 },
    async (label, { skip }) => {
      const program = programs[label];
      const text = signers[label](sample('guides/agents', label));
      if (!program.present) skip(`${label} is not on this machine`);
      const file = join(folder, `sign-${program.file}`);
      writeFileSync(file, text);
      const [command = '', ...args] = program.command;
      const { stdout } = await run(command, [...args, file]);
      const now = new Date();
      const findKey = async (slug: string, kid: string) =>
        slug === 'acme' && kid === 'k1' ? { id: 1, consumerId: 1, secret: claims[2] ?? '' } : null;
      const token = await verifyAgentToken(stdout.trim(), findKey, now);
      expect(token).toMatchObject({
        tenantRef: 'north',
        agentRef: 'ada',
        name: 'Ada Byron',
        role: 'SUPERVISOR',
      });
      const minutes = (token.expiresAt.getTime() - now.getTime()) / 60_000;
      expect(minutes).toBeGreaterThan(5);
      expect(minutes).toBeLessThan(15);
    },
  );
});
