/** Runs the code samples in their own languages, against our webhook signer and our verification of agent tokens. */
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

/** A webhook request, and whether a receiver with `secret` must accept it. */
interface Request {
  name: string;
  body: string;
  headers: Record<string, string>;
  now: number;
  accepted: boolean;
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
      accepted: false,
      ...more,
    });
    return [
      make('signed', { accepted: true }),
      make('signed with two secrets during a rotation, the new one first', {
        headers: only(signed(secret, older), own),
        accepted: true,
      }),
      make('signed with two secrets during a rotation, the old one first', {
        headers: only(signed(older, secret), own),
        accepted: true,
      }),
      make('signed with another secret', { headers: only(signed(older), own) }),
      make('with a changed body', { body: body.replace('1', '2') }),
      make('at the limit of the tolerance', { now: seconds + TOLERANCE_SECONDS, accepted: true }),
      make('a second too old', { now: seconds + TOLERANCE_SECONDS + 1 }),
      make('a second too far in the future', { now: seconds - TOLERANCE_SECONDS - 1 }),
    ];
  });
  const malformed = (name: string, headers: Record<string, string>): Request => ({
    name,
    body,
    headers,
    now: seconds,
    accepted: false,
  });
  return [
    ...both,
    malformed('without a signature', {}),
    malformed('with an invalid signature header', { 'x-clarion-signature': 'v1=,t=,=' }),
    malformed('with an invalid time', { 'x-clarion-signature': 't=NaN,v1=00' }),
    malformed('with two times', { 'x-clarion-signature': `t=1,${signed(secret)['x-clarion-signature']}` }),
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

/** Wraps the sample in a program that reads the cases and prints `true` or `false` for each. */
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
    'in %s accepts our signatures and nothing else',
    { timeout: 60_000 },
    async (label, { skip }) => {
      const program = programs[label];
      const text = program.source(sample('guides/webhooks', label));
      if (!program.present) skip(`${label} is not installed`);
      const cases = requests();
      const [casesFile, file] = [join(folder, `${label}.json`), join(folder, program.file)];
      writeFileSync(casesFile, JSON.stringify(cases));
      writeFileSync(file, text);
      const [command = '', ...args] = program.command;
      const { stdout } = await run(command, [...args, file, casesFile]);
      const results = stdout.trim().split('\n');
      expect(cases.map(({ name }, at) => `${name}: ${results[at]}`)).toEqual(
        cases.map(({ name, accepted }) => `${name}: ${accepted}`),
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
    'in %s signs a token that the service accepts',
    { timeout: 60_000 },
    async (label, { skip }) => {
      const program = programs[label];
      const text = signers[label](sample('guides/agents', label));
      if (!program.present) skip(`${label} is not installed`);
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
