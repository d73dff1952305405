/** The page. Every value is escaped. */

/** @param {unknown} value */
const escaped = (value) => String(value ?? '').replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** @param {{ call: import('@clarion/sdk/node').Call, types: string[] }} entry */
const row = ({ call, types }) =>
  `<tr data-call="${call.callId}"><td>${[
    call.createdAt,
    call.direction,
    call.customer.name ?? (call.customer.addressWithheld ? 'Withheld number' : call.customer.address),
    call.agentRef,
    call.status,
    call.terminationReason,
    `${call.durations.call} s`,
    types.join(', '),
  ]
    .map(escaped)
    .join('</td><td>')}</td></tr>`;

/**
 * @param {object} view
 * @param {string | null} view.user
 * @param {ReadonlyMap<string, { name: string }>} view.people
 * @param {{ call: import('@clarion/sdk/node').Call, types: string[] }[]} view.calls
 * @param {string} view.orderId different for each page, so that a form that is submitted twice places one call
 */
export function page({ user, people, calls, orderId }) {
  const options = [...people].map(
    ([ref, { name }]) => `<option value="${escaped(ref)}">${escaped(name)}</option>`,
  );
  const logIn = `<form method="post" action="/login">
    <select name="user">${options.join('')}</select> <button>Log in</button></form>`;
  const call = `<p>You are ${escaped(user)}.</p><form method="post" action="/calls">
    <input name="to" placeholder="+44…" required> <input type="hidden" name="order_id" value="${orderId}">
    <button>Call</button></form>`;
  return `<!doctype html><html lang="en"><title>Bakery</title>
  <style>body { font: 1rem system-ui; margin: 2rem } td, th { padding: 0.2rem 1rem 0.2rem 0; text-align: left }</style>
  <h1>Calls</h1>${user ? call : logIn}
  <table><tr><th>When<th>Direction<th>Customer<th>Agent<th>Status<th>Reason<th>Talk<th>Events</tr>
  ${calls.map(row).join('\n')}</table></html>`;
}
