/** URLs that lead into the private network, in every notation, and public addresses that resemble private ones. For tests and stress runs. */

/** Every notation of an IPv4 address in a URL (WHATWG URL, "IPv4 parser"), and some that are not valid URLs. */
export function notationsOfIPv4(address: string): string[] {
  const parts = address.split('.').map(Number);
  const [a = 0, b = 0, c = 0, d = 0] = parts;
  const whole = ((a * 256 + b) * 256 + c) * 256 + d;
  const octal = (n: number) => `0${n.toString(8)}`;
  const hex = (n: number) => `0x${n.toString(16)}`;
  const wide = (text: string) =>
    text.replaceAll(/[0-9.]/g, (char) => String.fromCodePoint((char.codePointAt(0) ?? 0) + 0xfee0));
  const escaped = (text: string) =>
    [...text].map((char) => `%${char.codePointAt(0)?.toString(16).padStart(2, '0')}`).join('');
  const groups = `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  return [
    address,
    `${address}.`,
    String(whole),
    hex(whole),
    hex(whole).toUpperCase(),
    octal(whole),
    parts.map(octal).join('.'),
    parts.map(hex).join('.'),
    `${hex(a)}.${b}.${octal(c)}.${d}`,
    `${a}.${(b * 256 + c) * 256 + d}`,
    `${a}.${b}.${c * 256 + d}`,
    parts.map((part) => `000${part.toString(8)}`).join('.'),
    wide(address),
    address.replaceAll('.', '。'),
    escaped(address),
    `[::ffff:${address}]`,
    `[::ffff:${groups}]`,
    `[0:0:0:0:0:ffff:${groups}]`,
    `[::${address}]`,
    `[::${groups}]`,
    `[64:ff9b::${groups}]`,
    `[64:ff9b:1::${groups}]`,
    `[2002:${groups}::]`,
    `[2001:0:${groups}::1]`,
    `[::ffff:0:${groups}]`,
  ];
}

export const privateIPv4 = [
  '127.0.0.1',
  '127.255.255.254',
  '0.0.0.0',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.254',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '100.100.100.200',
  '192.0.0.192',
  '192.0.2.1',
  '198.18.0.1',
  '198.51.100.7',
  '203.0.113.9',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
];
export const privateIPv6 = [
  '::1',
  '::',
  '0:0:0:0:0:0:0:1',
  'fe80::1',
  'febf::1',
  'fc00::1',
  'fd00:ec2::254',
  'fec0::1',
  'ff02::1',
  '2001:db8::1',
  '3fff::1',
  '100::1',
  '2001:10::1',
  '2002:7f00:1::1',
  '64:ff9b::a00:1',
  '4000::1',
  '5f00::1',
];

/** URLs that a parser or a reader may misinterpret. */
export const tricks = (port: number) => [
  `https://example.com@127.0.0.1:${port}/`,
  `https://example.com:443@127.0.0.1:${port}/`,
  `https://example.com%40@127.0.0.1:${port}/`,
  `https:\\\\127.0.0.1:${port}\\`,
  `https:127.0.0.1:${port}`,
  `https:///127.0.0.1:${port}/`,
  `  https://127.0.0.1:${port}/  `,
  `https://127.0\t.0.1:${port}/`,
  `https://127.0.0.1\n:${port}/`,
  `https://①②⑦.⓪.⓪.①:${port}/`,
  `https://[::1%25lo]:${port}/`,
  `https://127.0.0.1:${port}#@example.com`,
  `https://127.0.0.1:${port}\\@example.com/`,
  `https://0:${port}/`,
  `https://0x:${port}/`,
  `HTTPS://127.1:${port}/`,
  `http://127.0.0.1:${port}/`,
  `http://[::1]:${port}/`,
  `ftp://127.0.0.1:${port}/`,
  `file:///etc/passwd`,
  `gopher://127.0.0.1:${port}/`,
  `ws://127.0.0.1:${port}/`,
  `data:text/plain,x`,
  `unix:/var/run/postgresql`,
  `127.0.0.1:${port}`,
  `//127.0.0.1:${port}/`,
  '',
];

/** Public addresses that a careless check would refuse. */
export const lookAlikes = [
  '9.255.255.255',
  '11.0.0.1',
  '100.63.255.255',
  '100.128.0.1',
  '126.255.255.255',
  '128.0.0.1',
  '169.253.255.255',
  '169.255.0.1',
  '172.15.255.255',
  '172.32.0.1',
  '192.167.255.255',
  '192.169.0.1',
  '192.0.1.1',
  '198.17.255.255',
  '198.20.0.1',
  '203.0.112.255',
  '203.0.114.1',
  '223.255.255.254',
  '1.1.1.1',
  '2606:4700:4700::1111',
  '2a00:1450:4001:80b::200e',
  '2003::1',
  '::ffff:8.8.8.8',
];
