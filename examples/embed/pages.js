/** The pages. Every value is escaped. */
import { settings } from './settings.js';

/** @param {unknown} value */
const escaped = (value) => String(value ?? '').replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** @param {string} title @param {string} body */
const page = (title, body) => `<!doctype html><html lang="en"><head><title>${title}</title>
<meta name="viewport" content="width=device-width"><link rel="stylesheet" href="/style.css"></head>
<body><h1>${title}</h1>${body}</body></html>`;

/** @param {ReadonlyMap<string, { name: string }>} people */
export const loginPage = (people) =>
  page(
    'Florist',
    `<form method="post" action="/login"><select name="user" aria-label="User">${[...people]
      .map(([ref, { name }]) => `<option value="${escaped(ref)}">${escaped(name)}</option>`)
      .join('')}</select> <button>Log in</button></form>`,
  );

/** @param {string} name */
export const homePage = (name) =>
  page(
    'Florist',
    `<p>Hello ${escaped(name)}. Customers call ${escaped(settings.number)}.</p>
    <ul><li><a href="/element">The phone as an element in our page</a></li>
    <li><a href="/frame">The phone in a frame</a></li></ul>`,
  );

/** The phone as part of the page: one script and one element, with the page's colours (style.css). */
export const elementPage = () =>
  page(
    'Orders',
    `<p>Last event: <output id="last">none</output></p>
    <clarion-phone class="corner" token-url="/token" call-url="/calls"
      push-worker-url="/push/worker.js" phone-url="/element"></clarion-phone>
    <script src="${escaped(settings.url)}/embed.js"></script><script src="/element.js"></script>`,
  );

/** The phone in a frame: none of its code runs in this page. */
export const framePage = () =>
  page(
    'Orders',
    `<p>Last event: <output id="last">none</output></p>
    <iframe class="corner" title="Phone" allow="microphone; autoplay"
      src="${escaped(settings.url)}/embed/phone/${escaped(encodeURIComponent(settings.signer.consumer))}"></iframe>
    <script src="/frame.js"></script>`,
  );

/** The pages may load nothing inline, and from other origins only Clarion. */
export const contentSecurityPolicy = [
  "default-src 'self'",
  `script-src 'self' ${settings.url}`,
  `connect-src 'self' ${settings.url} ${settings.url.replace(/^http/, 'ws')}`,
  `frame-src ${settings.url}`,
].join('; ');
