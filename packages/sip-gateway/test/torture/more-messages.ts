/** Messages of RFC 4475 that are valid for a parser and concern what an application does with them; the others are in messages.ts. */
import { message, SDP, type Torture } from './message.ts';

export const APPLICATION_TORTURE: readonly Torture[] = [
  {
    name: 'mpart01: multipart MIME message with binary parts',
    section: '3.1.1.11',
    verdict: 'valid',
    text: message(
      `
MESSAGE sip:kumiko@example.org SIP/2.0
Via: SIP/2.0/UDP 127.0.0.1:5070;branch=z9hG4bK-d87543-4dade06d0bdb11ee-1--d87543-;rport
Max-Forwards: 70
Route: <sip:127.0.0.1:5080>
Identity: r5mwreLuyDRYBi/0TiPwEsY3rEVsk/G2WxhgTV1PF7hHuLIK0YWVKZhKv9Mj8UeXqkMVbnVq37CD+813gvYjcBUaZngQmXc9WNZSDNGCzA==
Contact: <sip:fluffy@127.0.0.1:5070>
To: <sip:kumiko@example.org>
From: <sip:fluffy@example.com>;tag=2fb0dcc9
Call-ID: 3d9485ad0c49859b@Zmx1ZmZ5LW1hYy0xNi5sb2NhbA..
CSeq: 1 MESSAGE
Content-Transfer-Encoding: binary
Content-Type: multipart/mixed;boundary=7a9cbec02ceef655
Date: Sat, 15 Oct 2005 04:44:56 GMT
User-Agent: SIPimp.org/0.2.5 (curses)
Content-Length: %LENGTH%
`,
      [
        '--7a9cbec02ceef655\r\nContent-Type: text/plain\r\nContent-Transfer-Encoding: binary\r\n\r\nHello\r\n',
        '--7a9cbec02ceef655\r\nContent-Type: application/octet-stream\r\nContent-Transfer-Encoding: binary\r\n\r\n',
        '\x30\x82\x01\x52\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02\xa0\x82\x01\x43\x00\xff\x0d\x0a\x0d\x0a\x00',
        '\r\n--7a9cbec02ceef655--',
      ].join(''),
    ),
  },
  {
    name: 'escruri: escaped headers in the Request-URI',
    section: '3.1.2.11',
    verdict: 'valid',
    text: message(
      `
INVITE sip:user@example.com?Route=%3Csip:example.com%3E SIP/2.0
To: sip:user@example.com
From: sip:caller@example.net;tag=341518
Max-Forwards: 7
Contact: <sip:caller@host39923.example.net>
Call-ID: escruri.23940-asdfhj-aje3br-234q098w-fawerh2q-h4n5
CSeq: 149209342 INVITE
Via: SIP/2.0/UDP host-of-the-hour.example.com;branch=z9hG4bKkdjuw
Content-Type: application/sdp
Content-Length: %LENGTH%
`,
      SDP,
    ),
  },
  {
    name: 'baddate: a time zone other than GMT in Date',
    section: '3.1.2.12',
    verdict: 'valid',
    text: message(
      `
INVITE sip:user@example.com SIP/2.0
To: sip:user@example.com
From: sip:caller@example.net;tag=2234923
Max-Forwards: 70
Call-ID: baddate.239423mnsadf3j23lj42--sedfnm234
CSeq: 1392934 INVITE
Via: SIP/2.0/UDP host.example.com;branch=z9hG4bKkdjuw
Date: Fri, 01 Jan 2010 16:00:00 EST
Contact: <sip:caller@host5.example.net>
Content-Type: application/sdp
Content-Length: %LENGTH%
`,
      SDP,
    ),
  },
  {
    name: 'badaspec: blanks within an addr-spec',
    section: '3.1.2.14',
    verdict: 'valid',
    text: message(`
OPTIONS sip:user@example.org SIP/2.0
Via: SIP/2.0/UDP host4.example.com:5060;branch=z9hG4bKkdju43234
Max-Forwards: 70
From: "Bell, Alexander" <sip:a.g.bell@example.com>;tag=433423
To: "Watson, Thomas" < sip:t.watson@example.org >
Call-ID: badaspec.sdf0234n2nds0a099u23h3hnnw009cdkne3
Accept: application/sdp
CSeq: 3923239 OPTIONS
Content-Length: 0
`),
  },
  {
    name: 'baddn: a display name that is neither quoted nor of tokens',
    section: '3.1.2.15',
    verdict: 'valid',
    text: message(`
OPTIONS sip:t.watson@example.org SIP/2.0
Via: SIP/2.0/UDP c.example.com:5060;branch=z9hG4bKkdjuw
Max-Forwards: 70
From: Bell, Alexander <sip:a.g.bell@example.com>;tag=43
To: Watson, Thomas <sip:t.watson@example.org>
Call-ID: baddn.31415@c.example.com
Accept: application/sdp
CSeq: 3923239 OPTIONS
Content-Length: 0
`),
  },
  {
    name: 'unksm2: unknown schemes in To, From and Contact',
    section: '3.3.4',
    verdict: 'valid',
    text: message(`
REGISTER sip:example.com SIP/2.0
To: isbn:2983792873
From: <http://www.example.com>;tag=3234233
Call-ID: unksm2.daksdj@hyphenated-host.example.com
CSeq: 234902 REGISTER
Max-Forwards: 70
Via: SIP/2.0/UDP 192.0.2.21:5060;branch=z9hG4bKkdjuw
Contact: <name:John_Smith>
Content-Length: 0
`),
  },
  {
    name: 'bext01: unknown extensions in Require and Proxy-Require',
    section: '3.3.5',
    verdict: 'valid',
    text: message(`
OPTIONS sip:user@example.com SIP/2.0
To: sip:j_user@example.com
From: sip:caller@example.net;tag=242etr
Max-Forwards: 6
Call-ID: bext01.0ha0isndaksdj
Require: nothingSupportsThis, nothingSupportsThisEither
Proxy-Require: noProxiesSupportThis, norDoAnyProxiesSupportThis
CSeq: 8 OPTIONS
Via: SIP/2.0/TLS fold-and-staple.example.com;branch=z9hG4bKkdjuw
Content-Length: 0
`),
  },
  {
    name: 'invut: an INVITE with a body of an unknown type',
    section: '3.3.6',
    verdict: 'valid',
    text: message(
      `
INVITE sip:user@example.com SIP/2.0
Contact: <sip:caller@host5.example.net>
To: sip:j.user@example.com
From: sip:caller@example.net;tag=8392034
Max-Forwards: 70
Call-ID: invut.0ha0isndaksdjadsfij34n23d
CSeq: 235448 INVITE
Via: SIP/2.0/UDP somehost.example.com;branch=z9hG4bKkdjuw
Content-Type: application/unknownformat
Content-Length: %LENGTH%
`,
      '<audio>\r\n <pcmu port="443"/>\r\n</audio>\r\n',
    ),
  },
  {
    name: 'regaut01: an unknown authorization scheme',
    section: '3.3.7',
    verdict: 'valid',
    text: message(`
REGISTER sip:example.com SIP/2.0
To: sip:j.user@example.com
From: sip:j.user@example.com;tag=87321hj23128
Max-Forwards: 8
Call-ID: regaut01.0ha0isndaksdj
CSeq: 9338 REGISTER
Via: SIP/2.0/TCP 192.0.2.253;branch=z9hG4bKkdjuw
Authorization: NoOneKnowsThisScheme opaque-data=here
Content-Length:0
`),
  },
  {
    name: 'bcast: a response whose Via has a broadcast address',
    section: '3.3.10',
    verdict: 'valid',
    text: message(
      `
SIP/2.0 200 OK
Via: SIP/2.0/UDP 192.0.2.198;branch=z9hG4bK1324923
Via: SIP/2.0/UDP 255.255.255.255;branch=z9hG4bK1saber23
Call-ID: bcast.0384840201234ksdfak3j2erwedfsASdf
CSeq: 35 INVITE
From: sip:user@example.com;tag=11141343
To: sip:user@example.edu;tag=2229
Content-Length: %LENGTH%
Content-Type: application/sdp
Contact: <sip:user@host28.example.com>
`,
      SDP,
    ),
  },
  {
    name: 'cparam01: an unknown parameter of Contact',
    section: '3.3.12',
    verdict: 'valid',
    text: message(`
REGISTER sip:example.com SIP/2.0
Via: SIP/2.0/UDP saturn.example.com:5060;branch=z9hG4bKkdjuw
Max-Forwards: 70
From: sip:watson@example.com;tag=DkfVgjkrtMwaerKKpe
To: sip:watson@example.com
Call-ID: cparam01.70710@saturn.example.com
CSeq: 2 REGISTER
Contact: sip:+19725552222@gw1.example.net;unknownparam
Content-Length: 0
`),
  },
  {
    name: 'cparam02: an unknown parameter of the URI in Contact',
    section: '3.3.13',
    verdict: 'valid',
    text: message(`
REGISTER sip:example.com SIP/2.0
Via: SIP/2.0/UDP saturn.example.com:5060;branch=z9hG4bKkdjuw
Max-Forwards: 70
From: sip:watson@example.com;tag=838293
To: sip:watson@example.com
Call-ID: cparam02.70710@saturn.example.com
CSeq: 3 REGISTER
Contact: <sip:+19725552222@gw1.example.net;unknownparam>
Content-Length: 0
`),
  },
  {
    name: 'regescrt: escaped headers in the URI of Contact',
    section: '3.3.14',
    verdict: 'valid',
    text: message(`
REGISTER sip:example.com SIP/2.0
To: sip:user@example.com
From: sip:user@example.com;tag=8
Max-Forwards: 70
Call-ID: regescrt.k345asrl3fdbv@192.0.2.1
CSeq: 14398234 REGISTER
Via: SIP/2.0/UDP host5.example.com;branch=z9hG4bKkdjuw
M: <sip:user@example.com?Route=%3Csip:sip.example.com%3E>
L:0
`),
  },
  {
    name: 'sdp01: an Accept without SDP in an INVITE that offers SDP',
    section: '3.3.15',
    verdict: 'valid',
    text: message(
      `
INVITE sip:user@example.com SIP/2.0
To: sip:j_user@example.com
Contact: <sip:caller@host15.example.net>
From: sip:caller@example.net;tag=234
Max-Forwards: 5
Call-ID: sdp01.ndaksdj9342dasdd
Accept: text/nobodyKnowsThis
CSeq: 8 INVITE
Via: SIP/2.0/UDP proxy31.example.net;branch=z9hG4bKkdjuw
Content-Length: %LENGTH%
Content-Type: application/sdp
`,
      SDP,
    ),
  },
];
