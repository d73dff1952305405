/** The pages. A value from outside never goes into them unescaped. */
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
    `<form method="post" action="/login"><select name="user" aria-label="Who you are">${[...people]
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

/** The phone is part of the page: one script, one element, in our own colours (style.css). */
export const elementPage = () =>
  page(
    'Orders',
    `<p>Last: <output id="last">nothing yet</output></p>
    <clarion-phone class="corner" token-url="/token" call-url="/calls"></clarion-phone>
    <script src="${escaped(settings.url)}/embed.js"></script><script src="/element.js"></script>`,
  );

/** The phone is a page of its own, inside ours: nothing of it runs here. */
export const framePage = () =>
  page(
    'Orders',
    `<p>Last: <output id="last">nothing yet</output></p>
    <iframe class="corner" title="Phone" allow="microphone; autoplay"
      src="${escaped(settings.url)}/embed/phone/${escaped(encodeURIComponent(settings.signer.consumer))}"></iframe>
    <script src="/frame.js"></script>`,
  );

/** What our pages may load: nothing inline, and of others Clarion alone. */
export const contentSecurityPolicy = [
  "default-src 'self'",
  `script-src 'self' ${settings.url}`,
  `connect-src 'self' ${settings.url} ${settings.url.replace(/^http/, 'ws')}`,
  `frame-src ${settings.url}`,
].join('; ');
